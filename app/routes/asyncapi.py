"""GET /asyncapi.json: the websocket stream, documented."""

from typing import Any

from fastapi import APIRouter

from app import __version__
from app.wire.schemas import SERVER_MESSAGES, VIEWER_MESSAGES

router = APIRouter(tags=["stream"])

LAYOUT = (
    "Binary messages are [u64 little-endian header length][JSON header padded with spaces to 8]"
    "[raw arrays, each 8-byte aligned]. Messages without arrays are the JSON header as text."
)


@router.get("/asyncapi.json", operation_id="asyncapi")
async def asyncapi() -> dict[str, Any]:
    """AsyncAPI 3.0 document of `/ws`."""
    messages = {
        name: {"name": name, "payload": {"$ref": f"#/components/schemas/{name}"}}
        for name in (*SERVER_MESSAGES, *VIEWER_MESSAGES)
    }
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Poolscope stream", "version": __version__, "description": LAYOUT},
        "channels": {
            "watch": {
                "address": "/ws",
                "description": "One viewer of one host.",
                "messages": {n: {"$ref": f"#/components/messages/{n}"} for n in messages},
                "bindings": {
                    "ws": {"query": {"type": "object", "properties": {"host": {"type": "string"}}}}
                },
            }
        },
        "operations": {
            "toViewer": _operation("send", SERVER_MESSAGES),
            "fromViewer": _operation("receive", VIEWER_MESSAGES),
        },
        "components": {"messages": messages, "schemas": {**SERVER_MESSAGES, **VIEWER_MESSAGES}},
    }


def _operation(action: str, messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": "#/channels/watch"},
        "messages": [{"$ref": f"#/channels/watch/messages/{name}"} for name in messages],
    }
