"""JSON Schemas of every message header, the source of `/asyncapi.json`.

Tests validate frames captured from a running server against these.
"""

from typing import Any

from app.wire.frame import DTYPES, SCHEMA
from pools.snapshot import SOURCES

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
WORD: Schema = {"type": "string"}
MAYBE_WORD: Schema = {"type": ["string", "null"]}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
ANY_OBJECT: Schema = {"type": "object"}
ARRAYS: Schema = {
    "type": "array",
    "description": "raw arrays behind the header; offsets count from the header's end",
    "items": {
        "type": "object",
        "required": ["name", "dtype", "shape", "offset"],
        "properties": {
            "name": WORD,
            "dtype": {"enum": list(DTYPES)},
            "shape": {"type": "array", "items": COUNT},
            "offset": {"type": "integer", "minimum": 0, "multipleOf": 8},
        },
    },
}


def _message(kind: str, required: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "required": ["kind", *required],
        "properties": {"kind": {"const": kind}, **required, **optional},
    }


_STAMP = {"host": WORD, "epoch": COUNT, "seq": COUNT}
_SIM = {"t": MAYBE_NUMBER, "sim_t": MAYBE_NUMBER}
_POOL_DESCRIBED: Schema = {
    "type": "object",
    "required": ["kind", "unit", "capacity", "page_size", "cells", "unit_per_cell", "view_of"],
}
_SNAPSHOT: Schema = {
    "type": "object",
    "required": [
        "name", "kind", "unit", "source", "capacity", "available", "evictable", "protected",
        "held", "leaked", "retired", "counters",
    ],
    "properties": {
        **{name: {"type": "integer"} for name in ("capacity", "available", "evictable", "held")},
        "source": {"enum": list(SOURCES)},
    },
}  # fmt: skip

#: server to viewer; the host sends the same kinds to the hub
SERVER_MESSAGES: dict[str, Schema] = {
    "hello": _message(
        "hello",
        {
            **_STAMP,
            "schema": {"const": SCHEMA},
            "source": {"enum": list(SOURCES)},
            "device": WORD,
            "event_seq": COUNT,
            "pools": {"type": "object", "additionalProperties": _POOL_DESCRIBED},
            "server": {"type": "array", "items": ANY_OBJECT},
            "workload": ANY_OBJECT,
        },
        {"controls": ANY_OBJECT, "bounds": {"type": "array", "items": ANY_OBJECT}},
    ),
    "scalars": _message(
        "scalars",
        {
            **_STAMP,
            "t": NUMBER,
            "sim_t": NUMBER,
            "source": {"enum": list(SOURCES)},
            "pools": {"type": "object", "additionalProperties": _SNAPSHOT},
            "engine": ANY_OBJECT,
            "paused": {"type": "boolean"},
            "speed": {"anyOf": [NUMBER, {"const": "max"}]},
            "done": {"type": "boolean"},
        },
        {"verdict": {"type": "object", "required": ["text", "cause_class", "direction", "how"]}},
    ),
    "keyframe": _message(
        "keyframe",
        {**_STAMP, "pool": WORD, "part": COUNT, "parts": COUNT, "start": COUNT, "stop": COUNT},
        {"cells": COUNT, **_SIM, "arrays": ARRAYS},
    ),
    "delta": _message(
        "delta",
        {**_STAMP, "base_seq": COUNT},
        {"pools": {"type": "array", "items": WORD}, **_SIM, "arrays": ARRAYS},
    ),
    "event": _message(
        "event",
        {
            "host": WORD,
            "epoch": COUNT,
            "event_seq": COUNT,
            "t": NUMBER,
            "sim_t": NUMBER,
            "pool": MAYBE_WORD,
            "level": {"enum": ["info", "warning", "error", "critical"]},
            "code": MAYBE_WORD,
            "message": WORD,
            "numbers": ANY_OBJECT,
            "href": MAYBE_WORD,
        },
        {"event": WORD, "host_event_seq": {"type": ["integer", "null"]}, "incident": WORD},
    ),
    "gap": _message("gap", {"host": WORD, "from": COUNT, "to": COUNT}, {}),
    "heartbeat": _message(
        "heartbeat",
        {"host": WORD, "epoch": COUNT, "t": NUMBER, "seq": COUNT, "engine_age_s": NUMBER},
        {"state": WORD, "note": WORD, "age_s": NUMBER, "event_seq": COUNT, "history_s": NUMBER},
    ),
    "error": _message("error", {"title": WORD, "detail": WORD}, {}),
}
#: viewer to server
VIEWER_MESSAGES: dict[str, Schema] = {
    "subscribe": _message(
        "subscribe",
        {},
        {
            "host": WORD,
            "pools": {"type": "array", "items": WORD},
            "views": {"type": "array", "items": ANY_OBJECT},
            "max_hz": {"type": "number", "exclusiveMinimum": 0},
            "resume": {"type": "object", "properties": {"epoch": COUNT, "seq": COUNT}},
        },
    ),
    "ack": _message("ack", {"seq": COUNT}, {}),
    "resync": _message("resync", {"pool": WORD}, {}),
}
