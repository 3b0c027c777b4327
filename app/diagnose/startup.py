"""What a server said about itself while it started: flags, memory and capacities."""

import re
from dataclasses import dataclass, field

from app.diagnose.flag_names import FLAGS
from app.diagnose.mask import mask

ANCHORS = (
    "server_args=",
    "launch_server",
    "sglang serve",
    "vllm serve",
    "Load weight",
    "Memory pool end",
    "max_total_num_tokens=",
    "KV Cache is allocated",
    "max_mamba_cache_size:",
)
#: characters of one line that are read
LONGEST_LINE = 40_000

_VALUE = r"('[^'\r\n]{0,200}'|\"[^\"\r\n]{0,200}\"|\[[^\]\r\n]{0,200}\]|[^,()\[\]{}'\"\r\n]{1,60})"
_ARGUMENT = re.compile(rf"\b(\w{{2,60}})=(?!=){_VALUE}")
_ITEM = re.compile(rf"'(\w{{2,60}})': {_VALUE}")
_OPTION = re.compile(r"--([a-z][a-z0-9_-]{0,60})(?:[ =](?!-)([^\s\\'\"]{1,200}))?")
_GB = r"(-?\d{1,6}(?:\.\d{1,4})?) GB"
_MEMORY = (
    (re.compile(rf"Load weight begin\. avail mem={_GB}"), ("free_before_weights_gb",)),
    (
        re.compile(rf"Load weight end\.[^\r\n]{{0,300}}?avail mem={_GB}, mem usage={_GB}"),
        ("free_after_weights_gb", "weights_gb"),
    ),
    (re.compile(rf"Memory pool end\. avail mem={_GB}"), ("free_after_pools_gb",)),
    (re.compile(rf"available_gpu_mem={_GB}"), ("free_when_ready_gb",)),
)
_COUNT = re.compile(
    r"\b(max_total_num_tokens|chunked_prefill_size|max_prefill_tokens|max_running_requests|"
    r"context_len)=(-?\d{1,12})(?=[,\s]|$)"
)
_TOKENS = re.compile(r"KV Cache is allocated\.[^\r\n]{0,80}?#tokens: (\d{1,12})")
_SLOTS = re.compile(r"max_mamba_cache_size: (\d{1,9})")


@dataclass(slots=True)
class Startup:
    """Flags as given, and figures by name: the tightest rank's memory, the first count of each.

    Attributes:
        lines: of each figure.
    """

    flags: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def read(self, text: str, line: int) -> bool:
        """Take one line that holds one of `ANCHORS`; whether a figure came from it."""
        text = text[:LONGEST_LINE]
        if "server_args=" in text:
            self._read_arguments(text.partition("server_args=")[2])
        elif "launch_server" in text or " serve" in text:
            for name, value in _OPTION.findall(text):
                self._flag(name.replace("-", "_"), value or "true")
        for pattern, names in _MEMORY:
            found = pattern.search(text)
            for name, value in zip(names, found.groups() if found else (), strict=False):
                self._figure(name, float(value), line, least=name.startswith("free"))
        if "max_total_num_tokens=" in text and "leak detected" not in text:
            for name, value in _COUNT.findall(text):
                self._figure(name, int(value), line)
        for pattern, name in ((_TOKENS, "kv_tokens"), (_SLOTS, "mamba_slots")):
            one = pattern.search(text)
            if one:
                self._figure(name, int(one[1]), line, least=True)
        return line in self.lines.values()

    def number(self, flag: str) -> float | None:
        """A flag's value, where it is a number."""
        try:
            return float(self.flags[flag])
        except (KeyError, ValueError):
            return None

    def _read_arguments(self, text: str) -> None:
        pattern = _ITEM if text.lstrip().startswith("{") else _ARGUMENT
        for name, value in pattern.findall(text):
            self._flag(name, value.strip("'\" "))

    def _flag(self, name: str, value: str) -> None:
        flag = f"--{name.replace('_', '-')}"
        if flag in FLAGS and value not in ("None", "False", ""):
            self.flags.setdefault(flag, mask(value)[:120])

    def _figure(self, name: str, value: float, line: int, *, least: bool = False) -> None:
        known = self.figures.get(name)
        if known is None or (least and value < known):
            self.figures[name] = value
            self.lines[name] = line
