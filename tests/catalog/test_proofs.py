"""The catalog's advice, run: what entries say is what the lab computes."""

import re

import pytest

from app.catalog.catalog import CATALOG
from app.catalog.proofs import all_causes
from app.catalog.prove import EntryResult, prove_entry
from app.catalog.record import record_of, records
from app.host.lab import EngineLab
from tests.catalog import test_seed_advice, test_seed_advice_features

TESTS = {
    name
    for module in (test_seed_advice, test_seed_advice_features)
    for name in vars(module)
    if name.startswith("test_")
}
CODES = pytest.mark.parametrize("code", all_causes())


@pytest.fixture(scope="module")
def results() -> dict[str, EntryResult]:
    lab = EngineLab()
    return {code: prove_entry(lab, CATALOG.by_code[code]) for code in all_causes()}


def test_every_file_of_causes_belongs_to_an_entry() -> None:
    assert set(all_causes()) <= set(CATALOG.by_code)


@CODES
def test_each_cause_reproduces_and_each_status_is_what_the_run_computes(
    code: str, results: dict[str, EntryResult]
) -> None:
    assert results[code].failures == ()
    assert all(cause.reproduced for cause in results[code].causes)


@CODES
def test_the_record_that_pages_show_is_of_this_run(
    code: str, results: dict[str, EntryResult]
) -> None:
    said = "`poolscope prove --record` writes it anew"
    assert records().get(code) == record_of(results[code]), said


def test_names_of_causes_and_keys_of_remedies_are_unique() -> None:
    for code, causes in all_causes().items():
        names = [cause.name for cause in causes]
        assert len(names) == len(set(names)), code
        keys = [remedy.key for remedy in CATALOG.by_code[code].remedies if remedy.key]
        assert len(keys) == len(set(keys)), code


def test_a_remedy_that_claims_an_outcome_has_run_or_says_why() -> None:
    """proved and avoids are only ever computed; refuted may also be read in the source."""
    for entry in CATALOG.entries:
        tried = {one.remedy for cause in all_causes().get(entry.code, ()) for one in cause.tries}
        for remedy in entry.remedies:
            if remedy.status in ("proved", "avoids"):
                assert remedy.key in tried, (entry.code, remedy.text)
            if remedy.status == "refuted":
                assert remedy.key in tried or remedy.proof, (entry.code, remedy.text)
            named = re.findall(r"`(test_\w+)`", remedy.proof)
            assert set(named) <= TESTS, (entry.code, named)


def test_an_entry_is_proven_exactly_when_a_remedy_of_it_works() -> None:
    for entry in CATALOG.entries:
        works = any(remedy.status in ("proved", "avoids") for remedy in entry.remedies)
        assert entry.proven is works, entry.code


def test_lowering_the_limit_is_refuted_under_leaked_rows(results: dict[str, EntryResult]) -> None:
    causes = {one.cause.name: one for one in results["alloc-req-slots-exhausted"].causes}
    tried = {one.remedy: one for one in causes["leaked-rows"].tries}
    assert tried["lower-max-running-requests"].outcome.status == "refuted"
    assert tried["lower-max-running-requests"].values == 4
    assert tried["raise-max-running-requests"].outcome.status == "refuted"
    assert tried["upgrade"].outcome.status == "proved"
