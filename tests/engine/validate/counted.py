"""A server of vLLM's kind that only counts: no pools, no rows, a page is a number.

Written from the rules alone, so that the one on real pools can be compared with it.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.step_time import StepTime


@dataclass
class Job:
    prompt: int
    output: int
    arrival_ns: int
    out: int = 0
    kv: int = 0
    queued_ns: int = 0
    scheduled_ns: int = -1
    first_ns: int = 0
    last_ns: int = 0


@dataclass
class Counted:
    """One rank."""

    blocks: int
    seqs: int
    budget: int
    page: int
    time: StepTime
    running: list[Job] = field(default_factory=list)
    waiting: list[Job] = field(default_factory=list)
    preempted: int = 0
    #: (end of the step ns, running, waiting, used share, outputs, prompts done) after each step
    log: list[tuple[int, int, int, float, int, int]] = field(default_factory=list)

    def pages(self, tokens: int) -> int:
        return -(-tokens // self.page)

    def free(self) -> int:
        return self.blocks - sum(self.pages(job.kv) for job in self.running)

    def run(self, jobs: list[Job]) -> None:
        now, coming, outputs, prompts = 0, list(jobs), 0, 0
        while coming or self.waiting or self.running:
            while coming and coming[0].arrival_ns <= now:
                coming[0].queued_ns = now
                self.waiting.append(coming.pop(0))
            if not self.waiting and not self.running:
                now = coming[0].arrival_ns
                continue
            took, made, done = self.step(now)
            now += took
            outputs, prompts = outputs + made, prompts + done
            for job in [job for job in self.running if job.out >= job.output]:
                job.last_ns = now
                self.running.remove(job)
            used = 1 - self.free() / self.blocks
            self.log.append((now, len(self.running), len(self.waiting), used, outputs, prompts))

    def step(self, now: int) -> tuple[int, int, int]:
        plan: list[tuple[Job, int]] = []
        left, free, gone, at = self.budget, self.free(), False, 0
        while at < len(self.running) and left:
            job = self.running[at]
            count = min(job.prompt + job.out - job.kv, left)
            need = self.pages(job.kv + count) - self.pages(job.kv)
            while need > free and self.running[-1] is not job:
                free += self.preempt()
                gone = True
            if need > free:
                self.preempt()
                gone = True
                break
            free, left, at = free - need, left - count, at + 1
            plan.append((job, count))
        while not gone and self.waiting and left and len(self.running) < self.seqs:
            job = self.waiting[0]
            if self.pages(job.prompt + job.out) > free:
                break
            self.running.append(self.waiting.pop(0))
            job.scheduled_ns = now if job.scheduled_ns < 0 else job.scheduled_ns
            count = min(job.prompt + job.out, left)
            free, left = free - self.pages(count), left - count
            plan.append((job, count))
        return self.compute(plan, now)

    def preempt(self) -> int:
        job = self.running.pop()
        pages, job.kv = self.pages(job.kv), 0
        self.waiting.insert(0, job)
        self.preempted += 1
        return pages

    def compute(self, plan: list[tuple[Job, int]], now: int) -> tuple[int, int, int]:
        decodes = [job for job, _ in plan if job.out and job.kv == job.prompt + job.out - 1]
        prompt = sum(count for job, count in plan if job not in decodes)
        took = self.time.mixed(prompt, len(decodes), sum(job.kv for job in decodes))
        made = done = 0
        for job, count in plan:
            job.kv += count
            if job.kv == job.prompt + job.out:
                done += job.prompt if job.out == 0 else 0
                job.first_ns = job.first_ns or now + took
                job.out, made = job.out + 1, made + 1
        return took, made, done


def jobs(count: int, seed: int, rate: float = 10.0) -> list[Job]:
    """Poisson arrivals with lengths like those of chats."""
    rng = np.random.default_rng(seed)
    at = np.cumsum(rng.exponential(1e9 / rate, count)).astype(int)
    at -= at[0]
    prompts = np.clip(rng.lognormal(6, 1, count), 4, 3_000).astype(int).tolist()
    outputs = np.clip(rng.lognormal(5, 1, count), 1, 900).astype(int).tolist()
    return [Job(*one) for one in zip(prompts, outputs, at.tolist(), strict=True)]


def record(folder: Path, server: dict[str, Any], ranks: list[Counted], all_jobs: list[Job]) -> None:
    """Write what such servers would have recorded, in the format of a measured run."""
    cache = {"num_gpu_blocks": ranks[0].blocks + 1, "block_size": ranks[0].page}
    meta = {"model": "counted", "engine_kwargs": server, "kv_cache": cache}
    (folder / "meta.json").write_text(json.dumps(meta))
    rows = [
        {
            "input_toks": job.prompt,
            "output_toks": job.output,
            "arrival_time": 1_700_000_000 + job.arrival_ns / 1e9,
            "queued_ts": 50 + job.queued_ns / 1e9,
            "scheduled_ts": 50 + job.scheduled_ns / 1e9,
            "first_token_ts": 50 + job.first_ns / 1e9,
            "last_token_ts": 50 + job.last_ns / 1e9,
        }
        for job in all_jobs
    ]
    (folder / "requests.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = ["t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct"]
    end_s = max(rank.log[-1][0] for rank in ranks) / 1e9
    before = np.zeros(5)
    for t in range(1, int(end_s) + 2):
        last = [[entry for entry in rank.log if entry[0] <= t * 1e9] for rank in ranks]
        now = np.sum([entries[-1][1:] if entries else (0,) * 5 for entries in last], axis=0)
        running, waiting, used = now[:3]
        made, done = (now - before)[3:]
        lines.append(f"{t},{done},{made},{running:.0f},{waiting:.0f},{used / len(ranks) * 100:.2f}")
        before = now
    (folder / "timeseries.csv").write_text("\n".join(lines) + "\n")
