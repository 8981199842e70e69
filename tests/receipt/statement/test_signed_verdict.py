"""A verdict as it is signed has its fields and words, and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spanproof.core.errors import MalformedReceiptError
from spanproof.receipt.statement.predicate import read_signed
from spanproof.receipt.statement.signed_verdict import VERDICT
from tests.receipt.block_verdict import SPAN, WORDS, make_verdict, redact_verdict


def test_a_field_that_the_schema_does_not_know_is_not_signed_unseen() -> None:
    verdict = make_verdict(iter(WORDS)) | {"comment": "secret"}
    redacted = json.loads(json.dumps(redact_verdict(verdict, span_sha256=SPAN)))
    with pytest.raises(MalformedReceiptError, match="no other field"):
        read_signed(VERDICT, redacted, what="the verdict")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("support", "context"), ["bare", "headers", "question"]),
        (("support", "grade"), ["full", "partial", "none", None]),
        (("existence", "difference", "edits", 0, "touches", 0, "side"), ["quote", "source"]),
    ],
)
def test_a_word_of_a_list_is_read_and_no_other(
    place: tuple[str | int, ...], words: list[str | None]
) -> None:
    redacted: Any = redact_verdict(make_verdict(iter(WORDS)), span_sha256=SPAN)
    verdict = json.loads(json.dumps(redacted))
    target = verdict
    for part in place[:-1]:
        target = target[part]
    for word in words:
        target[place[-1]] = word
        read_signed(VERDICT, verdict, what="the verdict")
    for word in ("", "other"):
        target[place[-1]] = word
        with pytest.raises(MalformedReceiptError, match=str(place[-1])):
            read_signed(VERDICT, verdict, what="the verdict")


@pytest.mark.parametrize("code", ["", "a", "2A", "A-B", "A" * 65])
def test_a_code_is_a_word_in_capitals(code: str) -> None:
    verdict: Any = redact_verdict(make_verdict(iter(WORDS)), span_sha256=SPAN)
    read = read_signed(VERDICT, json.loads(json.dumps(verdict)), what="the verdict")
    assert read.codes == ("IDENTITY_MATCH", "EXISTENCE_ALTERED")
    wrong = json.loads(json.dumps(verdict | {"codes": [code]}))
    with pytest.raises(MalformedReceiptError, match="a code at /codes/0"):
        read_signed(VERDICT, wrong, what="the verdict")


@pytest.mark.parametrize(("start", "end"), [(None, 18), (10, None)])
def test_half_of_the_offsets_are_none(start: int | None, end: int | None) -> None:
    verdict = make_verdict(iter(WORDS))
    verdict["existence"] |= {"char_start": start, "char_end": end}
    redacted = json.loads(json.dumps(redact_verdict(verdict, span_sha256=SPAN)))
    assert read_signed(VERDICT, redacted, what="the verdict").existence.offsets is None
