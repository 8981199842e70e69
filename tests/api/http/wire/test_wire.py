"""The shapes that OpenAPI shows accept what the parser accepts, and nothing else."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from pydantic import ValidationError

from spanproof.api.http.wire.answer import EXAMPLE, AnswerIn
from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.native import parse_answer

HASH = "sha256:" + "0a" * 32
VALID: dict[str, Any] = {
    "answer": "Yes [1].",
    "citations": [{"anchor": 1, "doc_hash": HASH, "span": {"text": "yes"}}],
}


def _with(path: str, value: Any) -> dict[str, Any]:
    payload = copy.deepcopy(VALID)
    *parents, last = path.split("/")
    here: Any = payload
    for part in parents:
        here = here[int(part)] if part.isdecimal() else here.setdefault(part, {})
    here[last] = value
    return payload


def _without(path: str) -> dict[str, Any]:
    payload = copy.deepcopy(VALID)
    *parents, last = path.split("/")
    here: Any = payload
    for part in parents:
        here = here[int(part)] if part.isdecimal() else here[part]
    del here[last]
    return payload


ACCEPTED: dict[str, Any] = {
    "the example": EXAMPLE,
    "the least": VALID,
    "no citation": _with("citations", []),
    "no prose": _with("answer", ""),
    "an unknown field": _with("colour", "red"),
    "an unknown field of a citation": _with("citations/0/colour", {"a": [1]}),
    "a name beside the hash": _with("citations/0/doc_id", "agreement"),
    "null for what may lack": _with("question", None),
    "null for offsets": _with("citations/0/span", {"text": "a", "char_start": None, "unit": None}),
    "an integer for a number": _with("citations/0/retrieval_score", 1),
    "a number for a score": _with("citations/0/retrieval_score", 0.25),
    "offsets": _with("citations/0/span", {"text": "a", "char_start": 0, "char_end": 0}),
    "offsets in UTF-16": _with(
        "citations/0/span", {"text": "a", "char_start": 1, "char_end": 2, "unit": "utf16"}
    ),
    "offsets past any text": _with(
        "citations/0/span", {"text": "a", "char_start": 10**9, "char_end": 10**9 + 1}
    ),
    "a page alone": _with("citations/0/pdf_locator", {"page": 1}),
    "a page and a box": _with("citations/0/pdf_locator", {"page": 1, "bbox": [0, 1.5, 2, 3]}),
    "documents": _with("documents", [HASH, "agreement"]),
    "a chunk": _with("retrieved", [{"chunk_id": "c", "char_start": 1, "char_end": 2, "rank": 1}]),
    "a chunk with one offset": _with("retrieved", [{"chunk_id": "c", "char_start": 1}]),
    "a generator": _with("generator", {"model": "m", "prompt_id": None}),
    "a date": _with("generated_at", "2026-11-20"),
    "a moment": _with("generated_at", "2026-11-20T14:00:00+01:00"),
    "labels": _with("labels", {"team": "legal"}),
    "a kind": _with("answer_kind", "refusal"),
    "any context": _with("context", [1, {"a": None}]),
}
REFUSED: dict[str, Any] = {
    "an array": [VALID],
    "a string": "Yes [1].",
    "null": None,
    "no answer": _without("answer"),
    "no citations": _without("citations"),
    "null citations": _with("citations", None),
    "a number for prose": _with("answer", 7),
    "citations as an object": _with("citations", {"0": {}}),
    "a citation that is a string": _with("citations", ["x"]),
    "no anchor": _without("citations/0/anchor"),
    "an anchor in quotes": _with("citations/0/anchor", "1"),
    "a fraction as anchor": _with("citations/0/anchor", 1.5),
    "a whole float as anchor": _with("citations/0/anchor", 1.0),
    "true as anchor": _with("citations/0/anchor", value=True),
    "a negative anchor": _with("citations/0/anchor", -1),
    "no span": _without("citations/0/span"),
    "no quote": _with("citations/0/span", {}),
    "null for the quote": _with("citations/0/span", {"text": None}),
    "no document": _without("citations/0/doc_hash"),
    "an empty name": _with("citations", [{"anchor": 1, "doc_id": "", "span": {"text": "a"}}]),
    "a hash in capitals": _with("citations/0/doc_hash", "sha256:" + "0A" * 32),
    "a hash cut short": _with("citations/0/doc_hash", HASH[:15]),
    "a bare hash": _with("citations/0/doc_hash", HASH[7:]),
    "a hash with a newline": _with("citations/0/doc_hash", HASH + "\n"),
    "an extraction cut short": _with("citations/0/extraction_id", "sha256:00"),
    "a negative offset": _with("citations/0/span", {"text": "a", "char_start": -1, "char_end": 2}),
    "reversed offsets": _with("citations/0/span", {"text": "a", "char_start": 3, "char_end": 2}),
    "one offset": _with("citations/0/span", {"text": "a", "char_start": 3}),
    "the other offset": _with("citations/0/span", {"text": "a", "char_end": 3}),
    "an offset in quotes": _with(
        "citations/0/span", {"text": "a", "char_start": "1", "char_end": "2"}
    ),
    "an unknown unit": _with("citations/0/span", {"text": "a", "unit": "bytes"}),
    "page 0": _with("citations/0/pdf_locator", {"page": 0}),
    "no page": _with("citations/0/pdf_locator", {"bbox": [0, 0, 1, 1]}),
    "three numbers": _with("citations/0/pdf_locator", {"page": 1, "bbox": [0, 0, 1]}),
    "a box of strings": _with("citations/0/pdf_locator", {"page": 1, "bbox": ["0", 0, 1, 1]}),
    "a box of booleans": _with("citations/0/pdf_locator", {"page": 1, "bbox": [True, 0, 1, 1]}),
    "a box inside out": _with("citations/0/pdf_locator", {"page": 1, "bbox": [2, 0, 1, 1]}),
    "a score in quotes": _with("citations/0/retrieval_score", "0.8"),
    "a chunk without id or text": _with("retrieved", [{"rank": 1}]),
    "a chunk on no page": _with("retrieved", [{"text": "a", "page": 0}]),
    "a chunk reversed": _with("retrieved", [{"chunk_id": "c", "char_start": 2, "char_end": 1}]),
    "a rank in quotes": _with("retrieved", [{"chunk_id": "c", "rank": "1"}]),
    "a document that is a number": _with("documents", [7]),
    "a document's hash cut short": _with("documents", ["sha256:0a"]),
    "an unknown kind": _with("answer_kind", "guess"),
    "a moment in words": _with("generated_at", "yesterday"),
    "a label that is a number": _with("labels", {"a": 1}),
    "labels as an array": _with("labels", ["a"]),
    "a generator that is a string": _with("generator", "m"),
    "a policy that is a number": _with("policy", 1),
}


def _parser_accepts(payload: Any) -> bool:
    try:
        parse_answer(json.dumps(payload).encode())
    except MalformedAnswerError:
        return False
    return True


def _shape_accepts(payload: Any) -> bool:
    try:
        AnswerIn.model_validate_json(json.dumps(payload))
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("name", ACCEPTED)
def test_shape_and_parser_accept(name: str) -> None:
    assert _parser_accepts(ACCEPTED[name])
    assert _shape_accepts(ACCEPTED[name])


@pytest.mark.parametrize("name", REFUSED)
def test_shape_and_parser_refuse(name: str) -> None:
    assert not _parser_accepts(REFUSED[name])
    assert not _shape_accepts(REFUSED[name])
