from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    BlobDigestMismatchError,
    ConflictError,
    InputError,
    IntegrityError,
    VerificationNotFoundError,
)
from spanproof.store.records import VerificationFilter
from tests.store.examples import HOUR, NOON, make_block, make_payload, make_verdict

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.store import Store

DOC, OTHER = Digest.of(b"cited"), Digest.of(b"other")


def keep(
    store: Store,
    verification_id: str,
    *verdicts: dict[str, Any],
    raw: bytes | None = None,
    answer_id: str = "answer",
    verified_at: datetime = NOON,
    result: str = "pass",
) -> None:
    store.answers.add(
        make_payload() if raw is None else raw,
        make_block(*verdicts, result=result),
        verification_id=verification_id,
        answer_id=answer_id,
        verified_at=verified_at,
    )


def ids(store: Store, **filters: Any) -> list[str]:
    page = store.answers.list(VerificationFilter(**filters))
    return [item.verification_id for item in page.items]


def test_the_payload_comes_back_as_it_came_and_the_block_too(store: Store) -> None:
    raw = b'\xef\xbb\xbf {"answer" :"x [1]",\r\n"answer":"twice", "n": 1.0e400, "citations":[]} '
    block = make_block(make_verdict(doc_hash=DOC))
    store.answers.add(raw, block, verification_id="v1", answer_id="a1", verified_at=NOON)
    stored = store.answers.load("v1")
    assert stored.raw == raw
    assert stored.block == block
    assert (stored.verification_id, stored.answer_id) == ("v1", "a1")
    assert stored.verified_at == NOON


@pytest.mark.parametrize(
    "raw",
    [
        b'{"answer": "\\u0000 [1]", "generator": {"model": "m\\u0000"}, "citations": []}',
        b'{"answer": "\\ud800 [1]", "generator": {"model": "\\udfff"}, "citations": []}',
        b'{"generator": {"model": "\\\\u0000"}}',
        b'{"answer": 7, "generator": "text", "citations": {"0": 1}}',
        b'{"citations": [7]}',
        b"[1, 2]",
        b"null",
        b"not JSON \x00 \xff",
        b"",
        b"[" * 100_000,
    ],
)
def test_any_bytes_survive(store: Store, raw: bytes) -> None:
    keep(store, "v1", make_verdict(doc_hash=DOC), raw=raw)
    assert store.answers.load("v1").raw == raw
    assert ids(store) == ["v1"]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    model=st.text(st.characters(codec=None), max_size=300),
    answer=st.text(st.characters(codec=None), max_size=300),
    index_version=st.text(st.characters(codec=None), max_size=300),
)
def test_any_string_of_a_payload_can_be_filtered_by(
    store: Store, model: str, answer: str, index_version: str
) -> None:
    raw = make_payload(
        answer=answer, generator={"model": model}, citations=[{"index_version": index_version}]
    )
    verification_id = str(Digest.of(raw))
    keep(store, verification_id, make_verdict(doc_hash=DOC), raw=raw)
    assert verification_id in ids(store, generator_model=model, index_version=index_version)
    item = store.answers.list(VerificationFilter(generator_model=model), limit=500).items[0]
    assert item.generator_model == model[:256]


def test_strange_ids_are_kept_exactly(store: Store) -> None:
    keep(store, "v\x00\ud800\\", answer_id="a\x00")
    stored = store.answers.load("v\x00\ud800\\")
    assert (stored.verification_id, stored.answer_id) == ("v\x00\ud800\\", "a\x00")
    assert ids(store, answer_id="a\x00") == ["v\x00\ud800\\"]
    with pytest.raises(VerificationNotFoundError):
        store.answers.load("v")


@pytest.mark.parametrize("name", ["", "x" * 513])
def test_ids_that_no_index_holds_are_refused(store: Store, name: str) -> None:
    with pytest.raises(InputError, match="verification_id"):
        keep(store, name)
    with pytest.raises(InputError, match="answer_id"):
        keep(store, "v1", answer_id=name)
    assert ids(store) == []


def test_a_large_payload_is_kept_whole(store: Store) -> None:
    raw = make_payload(answer="é" * 1_000_000, generator={"model": "m" * 100_000})
    keep(store, "v1", raw=raw)
    assert store.answers.load("v1").raw == raw
    assert ids(store, generator_model="m" * 100_000) == ["v1"]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"raw": b"{}"},
        {"answer_id": "another"},
        {"verified_at": NOON + timedelta(microseconds=1)},
        {"result": "fail"},
    ],
)
def test_nothing_recorded_is_changed_by_adding_again(store: Store, change: dict[str, Any]) -> None:
    keep(store, "v1", make_verdict())
    before = store.answers.load("v1")
    with pytest.raises(ConflictError, match="'v1', which is recorded"):
        keep(store, "v1", make_verdict(), **change)
    assert store.answers.load("v1") == before


@pytest.mark.parametrize(
    "block",
    [
        {},
        {"result": "pass", "citation_level": "RED"},
        {"result": "pass", "citation_level": "RED", "verdicts": [{}]},
        {"result": "pass", "citation_level": "RED", "verdicts": [None]},
        {"result": "pass", "citation_level": "RED", "verdicts": [], "density": float("nan")},
        {"result": "pass", "citation_level": "RED", "verdicts": [], "object": object()},
    ],
)
def test_what_is_no_block_is_refused_whole(store: Store, block: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match="Expected a verification block"):
        store.answers.add(b"{}", block, verification_id="v1", answer_id="a1", verified_at=NOON)
    assert ids(store) == []


def test_an_unknown_verification_is_named(store: Store) -> None:
    with pytest.raises(VerificationNotFoundError, match="'nowhere'"):
        store.answers.load("nowhere")


@pytest.mark.parametrize("column", ["raw", "block"])
def test_a_payload_changed_behind_our_back_is_found(store: Store, column: str) -> None:
    keep(store, "v1", make_verdict())
    with store.database.connection() as connection:
        trigger = "verification_payload_refuses_update"
        table = " ON verification_payload" if store.database.is_postgresql else ""
        connection.execute(text(f"DROP TRIGGER {trigger}{table}"))
        forge = f"UPDATE verification_payload SET {column} = :forged"  # noqa: S608 - a name of ours
        connection.execute(text(forge), {"forged": b"{}"})
    with pytest.raises(BlobDigestMismatchError, match="Restore"):
        store.answers.load("v1")


@pytest.fixture
def several(store: Store) -> Store:
    generator = {"model": "m1", "prompt_id": "p1"}
    citations = [{"index_version": "2026-10"}, {"index_version": "2026-11"}]
    keep(
        store,
        "v1",
        make_verdict(doc_hash=DOC, pages=(3, 4), codes=("SUPPORT_ENTAILED",)),
        make_verdict(doc_hash=OTHER, pages=(9,), outcome="fail", codes=("ALTERED",), citation=1),
        raw=make_payload(generator=generator, citations=citations, answer="First [1][2]."),
        answer_id="a1",
        result="fail",
    )
    keep(
        store,
        "v2",
        make_verdict(doc_hash=DOC, pages=(9,)),
        raw=make_payload(generator={"model": "m2"}),
        answer_id="a2",
        verified_at=NOON + HOUR,
    )
    keep(store, "v3", answer_id="a1", verified_at=NOON + 2 * HOUR, result="review")
    keep(store, "v4", make_verdict(pages=(), outcome="error"), verified_at=NOON - HOUR)
    return store


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["v3", "v2", "v1", "v4"]),
        ({"doc_hash": DOC}, ["v2", "v1"]),
        ({"doc_hash": DOC, "page": 4}, ["v1"]),
        ({"doc_hash": DOC, "page": 9}, ["v2"]),
        ({"doc_hash": OTHER, "page": 9}, ["v1"]),
        ({"page": 9}, ["v2", "v1"]),
        ({"page": 10**30}, []),
        ({"page": -1}, []),
        ({"outcome": "fail"}, ["v1"]),
        ({"doc_hash": DOC, "outcome": "fail"}, []),
        ({"outcome": "error"}, ["v4"]),
        ({"result": "review"}, ["v3"]),
        ({"code": "ALTERED"}, ["v1"]),
        ({"code": "ALTERED", "doc_hash": DOC}, []),
        ({"code": "\x00"}, []),
        ({"answer_id": "a1"}, ["v3", "v1"]),
        ({"answer_id": "a1", "result": "fail"}, ["v1"]),
        ({"generator_model": "m1"}, ["v1"]),
        ({"prompt_id": "p1"}, ["v1"]),
        ({"prompt_id": "p"}, []),
        ({"index_version": "2026-11"}, ["v1"]),
        ({"index_version": "2026-11", "doc_hash": DOC}, []),
        ({"since": NOON}, ["v3", "v2", "v1"]),
        ({"until": NOON}, ["v4"]),
        ({"since": NOON, "until": NOON + HOUR}, ["v1"]),
    ],
)
def test_a_filter_narrows_to_what_it_says(
    several: Store, filters: dict[str, Any], expected: list[str]
) -> None:
    assert ids(several, **filters) == expected


def test_a_list_shows_who_wrote_what(several: Store) -> None:
    item = several.answers.list(VerificationFilter(generator_model="m1")).items[0]
    assert (item.answer_id, item.result, item.level, item.verdicts) == ("a1", "fail", "GREEN", 2)
    assert (item.prompt_id, item.excerpt) == ("p1", "First [1][2].")
    assert item.verified_at == NOON


def test_pages_stay_put_while_answers_come_in(store: Store) -> None:
    # Several at one moment: the moment alone is no place in the list.
    for number in range(9):
        keep(store, f"v{number}", verified_at=NOON + (number // 4) * HOUR)
    seen: list[str] = []
    cursor = None
    while True:
        page = store.answers.list(VerificationFilter(), cursor, 2)
        assert len(page.items) <= 2
        seen.extend(item.verification_id for item in page.items)
        cursor = page.next_cursor
        if cursor is None:
            break
        keep(store, f"newcomer {len(seen)}", verified_at=NOON + 100 * HOUR)
    assert seen == ["v8", "v7", "v6", "v5", "v4", "v3", "v2", "v1", "v0"]


def test_the_last_page_has_no_cursor(store: Store) -> None:
    for number in range(4):
        keep(store, f"v{number}")
    assert store.answers.list(VerificationFilter(), None, 4).next_cursor is None
    assert store.answers.list(VerificationFilter(), None, 3).next_cursor is not None


def test_a_cursor_of_other_filters_is_refused(store: Store) -> None:
    for number in range(3):
        keep(store, f"v{number}")
    filters = VerificationFilter(result="pass")
    cursor = store.answers.list(filters, None, 1).next_cursor
    assert store.answers.list(filters, cursor, 1).items[0].verification_id == "v1"
    with pytest.raises(InputError, match="other filters"):
        store.answers.list(replace(filters, result="fail"), cursor, 1)
    with pytest.raises(InputError, match="cursor"):
        store.answers.list(filters, "nonsense", 1)
    with pytest.raises(InputError, match="limit"):
        store.answers.list(filters, None, 0)


def test_the_stored_block_is_plain_json(store: Store) -> None:
    keep(store, "v1", make_verdict())
    with store.database.reading() as session:
        stored = session.connection().execute(text("SELECT block FROM verification_payload"))
        content = bytes(stored.scalar_one())
    assert content.isascii()
    assert json.loads(content) == store.answers.load("v1").block
