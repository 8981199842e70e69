from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.verifier.formats.native import parse_answer, read_facts

HASH = "sha256:" + "a" * 64


def payload(**changes: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "answer": "Payment is due within four days [1].",
        "citations": [
            {
                "anchor": 1,
                "doc_hash": HASH,
                "span": {"text": "four days", "char_start": 3, "char_end": 12},
            }
        ],
    }
    return answer | changes


def cited(**changes: Any) -> dict[str, Any]:
    return payload(citations=[payload()["citations"][0] | changes])


def encode(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_a_whole_answer_is_read() -> None:
    parsed = parse_answer(
        encode(
            cited(
                doc_id="policy",
                chunk_id="kb::chunk::8",
                pdf_locator={"page": 14, "bbox": [72.0, 312, 540.0, 348.2]},
                retrieval_score=0.84,
                extraction_id=HASH,
            )
            | {
                "question": "When?",
                "generated_at": "2026-11-20T14:00:00Z",
                "labels": {"team": "a"},
                "documents": [HASH],
                "retrieved": [{"chunk_id": "c", "char_start": 0, "char_end": 9, "score": 1}],
                "generator": {"model": "m"},
                "extra": 1,
            }
        )
    )
    (citation,) = parsed.answer.citations
    assert citation.chunk_id == "kb::chunk::8"
    assert citation.locator is not None
    assert citation.locator.page == 14
    assert parsed.answer.anchors[0].number == 1
    assert parsed.answer.retrieved[0].score == 1.0
    assert parsed.imported.unmapped == ("/extra",)
    assert parsed.payload["extra"] == 1


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"citations": []}, "/answer"),
        ({"answer": "a"}, "/citations"),
        (payload(answer=3), "/answer"),
        (payload(citations={}), "/citations"),
        (payload(citations=[3]), "/citations/0"),
        (payload(answer_kind="rant"), "/answer_kind"),
        (payload(labels={"a": 1}), "/labels/a"),
        (payload(documents=["sha256:abc"]), "/documents/0"),
        (payload(generated_at="yesterday"), "/generated_at"),
        (payload(generated_at="0001-01-01T00:00:00+23:59"), "/generated_at"),
        (payload(generated_at="9999-12-31T23:59:59-23:59"), "/generated_at"),
        (payload(retrieved=[{"doc_id": "x"}]), "/retrieved/0/chunk_id"),
        (cited(anchor="1"), "/citations/0/anchor"),
        (cited(anchor=True), "/citations/0/anchor"),
        (cited(anchor=-1), "/citations/0/anchor"),
        # What is digested has no such number.
        (cited(anchor=2**53), "/citations/0/anchor"),
        (cited(doc_hash="sha256:" + "A" * 64), "/citations/0/doc_hash"),
        (cited(doc_hash="sha256:" + "a" * 8), "/citations/0/doc_hash"),
        (cited(doc_hash="a" * 64), "/citations/0/doc_hash"),
        (cited(doc_hash=None), "/citations/0/doc_hash"),
        (cited(extraction_id="x"), "/citations/0/extraction_id"),
        (cited(span={}), "/citations/0/span/text"),
        (cited(span={"text": "a", "unit": "byte"}), "/citations/0/span/unit"),
        (
            cited(span={"text": "a", "char_start": -1, "char_end": 2}),
            "/citations/0/span/char_start",
        ),
        (cited(span={"text": "a", "char_start": 5, "char_end": 2}), "/citations/0/span/char_start"),
        (cited(span={"text": "a", "char_start": 5}), "/citations/0/span/char_start"),
        (
            cited(span={"text": "a", "char_start": 1.5, "char_end": 2}),
            "/citations/0/span/char_start",
        ),
        (cited(pdf_locator={"page": 0}), "/citations/0/pdf_locator/page"),
        (cited(pdf_locator={"page": 1, "bbox": [1, 2, 3]}), "/citations/0/pdf_locator/bbox"),
        (cited(pdf_locator={"page": 1, "bbox": [9, 2, 3, 4]}), "/citations/0/pdf_locator/bbox"),
        (cited(retrieval_score="high"), "/citations/0/retrieval_score"),
        (cited(retrieval_score=10**400), "/citations/0/retrieval_score"),
        (
            cited(pdf_locator={"page": 1, "bbox": [0, 0, 10**400, 1]}),
            "/citations/0/pdf_locator/bbox",
        ),
        ([], ""),
        ("text", ""),
    ],
)
def test_a_malformed_field_is_named_by_its_pointer(value: Any, pointer: str) -> None:
    with pytest.raises(MalformedAnswerError) as caught:
        parse_answer(encode(value))
    assert pointer in [problem.pointer for problem in caught.value.problems]
    assert re.fullmatch(r"Expected [^A-Z].* at (/\S+|the root), got .+\.", caught.value.message)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"answer": NaN}',
        b'{"answer": "a", "answer": "b", "citations": []}',
        b'{"answer": "\\ud800", "citations": []}',
        b"[" * 100_000,
    ],
)
def test_what_is_not_json_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_answer(raw)


def test_an_empty_list_of_citations_is_well_formed() -> None:
    assert parse_answer(encode(payload(citations=[]))).answer.citations == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted({*payload(), *payload()["citations"][0], "retrieved", "labels"})), JSON
)
def test_any_json_in_any_field_gives_an_answer_or_a_malformed_answer(name: str, value: Any) -> None:
    for candidate in (payload(**{name: value}), cited(**{name: value})):
        try:
            raw = json.dumps(candidate, allow_nan=False).encode()
        except ValueError:
            continue
        try:
            answer = parse_answer(raw).answer
        except MalformedAnswerError as error:
            assert error.hint  # noqa: PT017 - either outcome is right, another exception is not
            # Its facts alone are refused for the same reason.
            with pytest.raises(MalformedAnswerError) as refused:
                read_facts(raw)
            assert refused.value.problems == error.problems  # noqa: PT017
            assert refused.value.message == error.message  # noqa: PT017
            continue
        facts = read_facts(raw)
        for field in dataclasses.fields(facts):
            assert getattr(facts, field.name) == getattr(answer, field.name)


@given(st.text(st.sampled_from('\\ud8Dcf09aA"'), max_size=12), st.integers(0, 3))
def test_a_lone_surrogate_is_refused_however_it_is_written(inside: str, depth: int) -> None:
    raw = f'{{"answer": "a", "citations": [], "labels": {"[" * depth}"{inside}"{"]" * depth}}}'
    try:
        value = json.loads(raw)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        with pytest.raises(MalformedAnswerError):
            load_json(raw.encode())
    else:
        assert load_json(raw.encode()) == value


def test_a_nesting_without_end_is_refused() -> None:
    for depth in (1_000, 100_000):
        for left, right in (("[", "]"), ('{"a":', "}")):
            with pytest.raises(MalformedAnswerError):
                load_json((left * depth + "1" + right * depth).encode())
