"""The pool host's main loop: commands, engine, pacing, samples - on one thread."""

import queue
import time
from collections.abc import Mapping
from typing import Any

from app.engine.driver import Driver, build_driver
from app.engine.workload import Workload, scenario_workload, trace_workload
from app.host.commands import HANDLERS, CommandError, Handler, run
from app.host.config import MAX_SPEED, HostConfig
from app.host.link import Link
from app.host.probe import Probe
from app.wire.event import EngineEvent

#: a paused or finished host still samples, so that viewers see it live
IDLE_WAIT_S = 0.25
#: a pace that fell further behind than this starts afresh rather than race to catch up
MAX_LAG_S = 1.0
#: at full speed as much simulated time is run at once, so that commands are heard soon
MAX_SPEED_NS = 1_000_000_000

Choice = tuple[str, str]


class HostLoop:
    """Owns the driver. Everything here runs on the thread that calls `run`."""

    handlers: Mapping[str, Handler] = HANDLERS

    def __init__(self, config: HostConfig, url: str, token: str) -> None:
        self.config = config
        self.paused = False
        self.speed = config.speed
        self.epoch = int(time.time())
        self.event_seq = 0
        self.beat_s = time.monotonic()
        self.workload_choice: Choice = (
            ("trace", str(config.trace)) if config.trace else ("scenario", config.scenario)
        )
        self.link = Link(url, token, config.name, self._heartbeat)
        self.driver_done = False
        self.driver = self._build(self.workload_choice)
        self._seen_connections = 0
        self._next_sample_s = 0.0
        self._pace_from()

    def run(self) -> None:
        """Serve until the process ends."""
        self.link.start()
        while True:
            self.beat_s = time.monotonic()
            self._drain_commands(wait_s=0.0)
            if self.paused or self.driver_done:
                self._drain_commands(wait_s=IDLE_WAIT_S)
            else:
                self._advance_paced()
            self._sample_if_due()

    def pacing(self) -> dict[str, Any]:
        """How time runs here, as scalars and command results say it."""
        return {
            "paused": self.paused,
            "speed": "max" if self.speed == MAX_SPEED else self.speed,
            "sim_t": self.driver.now_ns / 1e9,
        }

    def resume(self) -> None:
        """Go on from here; the pause does not count as lag."""
        self.paused = False
        self._pace_from()

    def set_speed(self, speed: float) -> None:
        """Change simulated seconds per wall second; changes no result."""
        self.speed = speed
        self._pace_from()

    def advance(self, steps: int) -> int:
        """Run scheduler iterations now, for the step command; returns how many were left to run."""
        done = 0
        while done < steps and not self.driver_done:
            self.driver_done = not self.driver.step()
            done += 1
        self._next_sample_s = 0.0
        return done

    def rebuild(self, choice: Choice) -> None:
        """Fresh pools and clock for a workload; the old ones stay if it cannot be built.

        Raises:
            CommandError: the trace cannot be read.
        """
        try:
            driver = self._build(choice)
        except (OSError, ValueError) as error:
            raise CommandError("Workload refused", str(error)) from error
        self.driver, self.workload_choice = driver, choice
        self.paused = False
        self._seen_connections = -1
        self._pace_from()

    def _build(self, choice: Choice) -> Driver:
        kind, value = choice
        seed = self.config.server.seed

        def workload() -> Workload:
            if kind == "trace":
                return trace_workload(value, self.config.reading)
            return scenario_workload(value, seed)

        driver = build_driver(self.config.server, workload, on_event=self._on_event)
        self.driver_done = False
        self.probe = self._probe_for(driver)
        return driver

    def _probe_for(self, driver: Driver) -> Probe:
        probe = Probe(self.config.name, driver.workload.source, self.epoch)
        # seq never goes back within an epoch, even across a restart of the workload
        probe.seq = self.probe.seq if hasattr(self, "probe") else 0
        return probe

    def _advance_paced(self) -> None:
        if self.speed == MAX_SPEED:
            self.driver_done = not self.driver.step(until_ns=self.driver.now_ns + MAX_SPEED_NS)
            return
        elapsed_s = time.monotonic() - self._pace_wall_s
        due_ns = self._pace_sim_ns + elapsed_s * self.speed * 1e9
        behind_s = (due_ns - self.driver.now_ns) / 1e9 / self.speed
        if behind_s > 0:
            self.driver_done = not self.driver.step(until_ns=int(due_ns))
            if behind_s > MAX_LAG_S:
                self._pace_from()
        else:
            until_sample_s = max(0.0, self._next_sample_s - time.monotonic())
            self._drain_commands(wait_s=min(-behind_s, until_sample_s, IDLE_WAIT_S))

    def _pace_from(self) -> None:
        self._pace_wall_s = time.monotonic()
        self._pace_sim_ns = self.driver.now_ns

    def _sample_if_due(self) -> None:
        now = time.monotonic()
        if now < self._next_sample_s:
            return
        self._next_sample_s = now + 1.0 / self.config.sample_hz
        link = self.link
        if link.connections == 0:
            return
        frames: list[bytes | str] = []
        owed = link.take_keyframe_owed()
        if owed or link.connections != self._seen_connections:
            self._seen_connections = link.connections
            frames.append(self.probe.hello(self.driver, self.event_seq))
            frames += self.probe.keyframes(self.driver)
        frames += self.probe.sample(self.driver, self.pacing() | {"done": self.driver_done})
        link.send_state(frames)

    def _drain_commands(self, wait_s: float) -> None:
        try:
            command = self.link.commands.get(timeout=wait_s) if wait_s > 0 else None
            while True:
                if command is not None:
                    self._answer(command)
                command = self.link.commands.get_nowait()
        except queue.Empty:
            return

    def _answer(self, command: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"kind": "reply", "id": command.get("id"), "ok": True}
        args = command.get("args") or {}
        try:
            reply["result"] = run(self, str(command.get("name")), args)
        except CommandError as error:
            problem = {"title": error.title, "detail": str(error)}
            reply |= {"ok": False, "problem": problem}
        self._next_sample_s = 0.0
        self.link.send_lossless(reply)

    def _on_event(self, event: EngineEvent) -> None:
        self.event_seq += 1
        self.link.send_lossless(
            {
                "kind": "event",
                "host": self.config.name,
                "epoch": self.epoch,
                "event_seq": self.event_seq,
                "t": time.time(),
                "sim_t": event.sim_t,
                "pool": event.pool,
                "level": event.level,
                "event": event.kind,
                "code": event.code,
                "message": event.message,
                "numbers": event.numbers,
                "href": f"/errors/{event.code}" if event.code else None,
            }
        )

    def _heartbeat(self) -> dict[str, Any]:
        return {
            "host": self.config.name,
            "epoch": self.epoch,
            "seq": self.probe.seq,
            "engine_age_s": round(time.monotonic() - self.beat_s, 3),
        }
