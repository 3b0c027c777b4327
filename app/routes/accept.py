"""Which of HTML and JSON the caller of a negotiated address wants."""

from fastapi import Request


def prefers_html(request: Request) -> bool:
    """True when `Accept` ranks HTML above JSON; scripts that say nothing get JSON."""
    accept = request.headers.get("accept", "")
    html = max(quality(accept, "text/html"), quality(accept, "application/xhtml+xml"))
    json = max(quality(accept, "application/json"), quality(accept, "application/problem+json"))
    return html > json


def quality(accept: str, media: str) -> float:
    """The q-value that an Accept header gives to one media type; the most specific range wins."""
    kind = media.partition("/")[0]
    found: dict[int, float] = {}
    for item in accept.split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        specificity = {media: 3, f"{kind}/*": 2, "*/*": 1}.get(name.lower())
        if specificity is not None:
            found[specificity] = _q(parameters)
    return found[max(found)] if found else 0.0


def _q(parameters: list[str]) -> float:
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
