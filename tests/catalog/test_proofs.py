"""A remedy that claims a proof names a test, and that test exists."""

import re

from app.catalog.catalog import CATALOG
from tests.catalog import test_seed_advice, test_seed_advice_features

PROOFS = {
    name
    for module in (test_seed_advice, test_seed_advice_features)
    for name in vars(module)
    if name.startswith("test_")
}


def test_every_proof_names_a_test_that_exists() -> None:
    for entry in CATALOG.entries:
        for remedy in entry.remedies:
            named = re.findall(r"`(test_\w+)`", remedy.proof)
            assert set(named) <= PROOFS, (entry.code, named)
            if remedy.status in ("proved", "avoids"):
                assert named, (entry.code, remedy.text)


def test_a_proven_entry_has_a_remedy_that_a_test_ran() -> None:
    for entry in CATALOG.entries:
        ran = any(remedy.status in ("proved", "avoids") for remedy in entry.remedies)
        assert entry.proven is ran, entry.code
