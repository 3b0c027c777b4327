"""An exported incident comes back equal; what is wrong with a file is named."""

import pytest

from app.incidents.exchange import BadExport, export, read_export
from app.incidents.window import pack
from app.wire.frame import encode, encode_text
from tests.incidents.incidents import incident

FRAME = encode_text({"kind": "gap", "host": "local", "from": 1, "to": 2})


def test_export_round_trip() -> None:
    windows = {"before": pack([FRAME])}
    found, parts = read_export(export(incident(), windows))
    assert found == incident(imported=True)
    assert parts == windows


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "no exported incident"),
        (b"PK\x03\x04 a zip file", "no exported incident"),
        (export(incident(), {"before": pack([FRAME])})[:-9], "damaged"),
        (encode({"kind": "incident", "schema": 2, "incident": {}}), "newer"),
        (encode({"kind": "hello"}), "its kind is 'hello'"),
        (encode({"kind": "incident", "schema": 1, "incident": {"id": 3}}), "incident.id"),
        (export(incident(), {"before": pack([b"no frame"])}), "window 'before'"),
        (export(incident(), {"after": b"no window"}), "window 'after'"),
    ],
)
def test_bad_export_is_refused_with_the_reason(body: bytes, named: str) -> None:
    with pytest.raises(BadExport, match=named):
        read_export(body)
