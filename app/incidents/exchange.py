"""One incident as one file, to hand to somebody else."""

from dataclasses import fields
from typing import Any

import numpy as np

from app.incidents.incident import COLUMNS, Incident
from app.incidents.window import DamagedWindow, messages, unpack
from app.wire.frame import FrameError, Header, decode, encode

SCHEMA = 1
PARTS = ("before", "after")
SUFFIX = ".poolscope-incident"

_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "host", "source", "level", "event", "message"), (str,)),
    **dict.fromkeys(("epoch", "count"), (int,)),
    **dict.fromkeys(("opened_t", "last_t", "sim_t"), (int, float)),
    **dict.fromkeys(("code", "pool"), (str, type(None))),
    "numbers": (dict,),
    "scalars": (dict, type(None)),
    "imported": (bool,),
}


class BadExport(ValueError):
    """A file that cannot be imported; the text says why."""


def export(incident: Incident, windows: dict[str, bytes]) -> bytes:
    """The file: a frame whose header holds the incident and whose arrays are its windows."""
    arrays = {part: np.frombuffer(windows[part], np.uint8) for part in PARTS if part in windows}
    return encode({"kind": "incident", "schema": SCHEMA, "incident": incident.as_dict()}, arrays)


def read_export(body: bytes) -> tuple[Incident, dict[str, bytes | None]]:
    """Check a file fully before anything of it is kept.

    Raises:
        BadExport: damaged, from a newer version, or no such file.
    """
    try:
        header, arrays = decode(body)
    except FrameError as error:
        raise BadExport(f"this is no exported incident, or it is damaged: {error}") from error
    if header["kind"] != "incident" or type(header.get("schema")) is not int:
        raise BadExport(f"this is no exported incident: its kind is {header['kind']!r}")
    if header["schema"] > SCHEMA:
        raise BadExport(
            f"the file has schema {header['schema']}, this program knows {SCHEMA}: use a newer "
            "poolscope"
        )
    incident = _checked(header)
    windows: dict[str, bytes | None] = {}
    for part in PARTS:
        if part in arrays:
            windows[part] = arrays[part].tobytes()
            _check_window(part, arrays[part].tobytes())
    return incident, windows


def _checked(header: Header) -> Incident:
    values: Any = header.get("incident")
    if not isinstance(values, dict):
        raise BadExport("header.incident must be an object")
    for field in fields(Incident):
        value = values.get(field.name)
        if field.name not in values or not isinstance(value, _TYPES[field.name]):
            raise BadExport(f"header.incident.{field.name} is missing or of another type")
    return Incident(**{**{name: values[name] for name in COLUMNS}, "imported": True})


def _check_window(part: str, blob: bytes) -> None:
    try:
        for message in messages(unpack(blob)):
            decode(message)
    except (DamagedWindow, FrameError, UnicodeDecodeError) as error:
        raise BadExport(f"window {part!r}: {error}") from error
