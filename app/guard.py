"""Who may ask what: Host and Origin checks, the token, read-only mode, body size, headers.

A plain ASGI middleware, so that it also stands in front of websockets.
"""

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.routes.log_body import MAX_LOG_BYTES
from app.routes.problem import problem
from app.settings import Settings, is_loopback

COOKIE = "poolscope_token"
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'"
)
MAX_BODY_BYTES = 4 << 20
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
#: POST that changes nothing, so it works in read-only mode
READING_POSTS = {"/api/errors/match", "/api/diagnose", "/diagnose"}
#: bodies that may be larger: their route counts them, and says more when it refuses
LOG_PATHS = {"/api/diagnose", "/diagnose"}
#: beyond the route's own limit, so that the route is asked first
SLACK_BYTES = 1 << 20
OPEN_PATHS = {"/livez"}


class Guard:
    """Refuses what should not come in; adds the security headers to what goes out."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one connection, then hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        if scope["type"] == "http":
            limit = MAX_BODY_BYTES
            if scope["path"] in LOG_PATHS:
                limit = MAX_LOG_BYTES + SLACK_BYTES
            await self.app(scope, _limited(receive, limit), _with_headers(send))
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        if path in OPEN_PATHS:
            return None
        if not self._host_allowed(headers.get("host", "")):
            return problem(
                421,
                "Unknown Host header",
                f"Host {headers.get('host')!r} is not an address of this server",
            )
        if path == "/ws/host":
            return self._check_bearer(headers, self.settings.host_token)
        websocket = scope["type"] == "websocket"
        changes = not websocket and scope["method"] not in SAFE_METHODS
        if (websocket or changes) and not _same_origin(headers):
            return problem(
                403,
                "Cross-site request refused",
                f"Origin {headers.get('origin')!r} is not this server",
            )
        length = int(headers.get("content-length") or 0)
        if changes and length > MAX_BODY_BYTES and path not in LOG_PATHS:
            return problem(413, "Body too large", f"at most {MAX_BODY_BYTES:,} bytes are taken")
        denied = self._check_token(scope, headers)
        if denied is None and changes and self.settings.read_only and path not in READING_POSTS:
            return problem(
                403, "Read-only", "this server was started with --read-only; nothing can be changed"
            )
        return denied

    def _host_allowed(self, host: str) -> bool:
        name = urlsplit(f"//{host}").hostname or ""
        if not is_loopback(self.settings.bind):
            return bool(name)  # the token stands in for a list of names
        return is_loopback(name) or name == "testserver"

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self.settings.token
        if token is None:
            return None
        if _equal(_cookie(headers), token) or _equal(_bearer(headers), token):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["type"] == "http" and _equal(query.get("token", [""])[0], token):
            response = RedirectResponse(scope["path"], status_code=303)
            response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return response
        return problem(
            401,
            "Token needed",
            "open the page once as /?token=TOKEN, or send the header Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": "Bearer"},
        )

    @staticmethod
    def _check_bearer(headers: Headers, token: str) -> Response | None:
        if _equal(_bearer(headers), token):
            return None
        return problem(
            401, "Host token needed", "a pool host sends the token of --host-token-file as bearer"
        )


def _equal(given: str, token: str) -> bool:
    return bool(given) and hmac.compare_digest(given.encode(), token.encode())


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return value if scheme.lower() == "bearer" else ""


def _cookie(headers: Mapping[str, str]) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _same_origin(headers: Mapping[str, str]) -> bool:
    origin = headers.get("origin")
    # Scripts send no Origin; a browser always does for these requests.
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _limited(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", CSP)
            headers.setdefault("X-Content-Type-Options", "nosniff")
            headers.setdefault("Referrer-Policy", "same-origin")
            headers.setdefault("X-Frame-Options", "DENY")
        await send(message)

    return sending
