"""Spans: what the signed offsets have in the text that the auditor holds."""

from __future__ import annotations

import pytest

from spanproof.receipt.check.content import AuditorText, check_spans
from spanproof.receipt.check.report import LineStatus
from tests.receipt.said import OTHER, say, with_two_documents
from tests.receipt.statements import (
    CANONICAL,
    EXTRACTION_ID,
    SENTENCE,
    SPAN,
    make_document,
    make_summary,
    make_verdict,
    sha256,
)


def test_every_span_reads_as_signed() -> None:
    line = check_spans(say(), [AuditorText.of(CANONICAL.encode())])
    assert line.status is LineStatus.OK
    assert line.words == "1 span reads as signed."


def test_two_spans_read_as_signed() -> None:
    whole = make_verdict()
    whole["existence"] |= {"char_start": 0, "char_end": 5, "span_sha256": sha256("Größe")}
    counts = {"verdicts": 2, "pass": 2, "fail": 0, "review": 0, "error": 0}
    predicate = say(verdicts=[make_verdict(), whole], summary=make_summary() | {"counts": counts})
    assert check_spans(predicate, [AuditorText.of(CANONICAL.encode())]).words == (
        "2 spans read as signed."
    )


@pytest.mark.parametrize(
    "raw",
    [
        CANONICAL.encode() + b"\n",
        CANONICAL.replace("\n", "\r\n").encode(),
        CANONICAL.encode("utf-16"),
        b"\xff\xfe",
        b"",
    ],
)
def test_another_text_fails(raw: bytes) -> None:
    line = check_spans(say(), [AuditorText.of(raw)])
    assert line.status is LineStatus.FAILED
    assert line.code == "SPAN_NOT_AS_SIGNED"


def test_a_text_of_the_right_digest_and_another_length_fails() -> None:
    document = make_document()
    document["canonical_texts"][0]["code_points"] += 1
    line = check_spans(say(documents=[document]), [AuditorText.of(CANONICAL.encode())])
    assert line.status is LineStatus.FAILED


def test_a_span_that_was_signed_with_other_words_fails() -> None:
    verdict = make_verdict()
    verdict["existence"]["span_sha256"] = sha256(SENTENCE.upper())
    line = check_spans(say(verdicts=[verdict]), [AuditorText.of(CANONICAL.encode())])
    assert line.status is LineStatus.FAILED
    assert "[1]" in line.words


def test_a_text_in_which_no_span_lies_checks_nothing() -> None:
    predicate = with_two_documents()
    line = check_spans(predicate, [AuditorText.of(OTHER.encode())])
    assert line.status is LineStatus.NOT_CHECKED
    both = check_spans(
        predicate, [AuditorText.of(OTHER.encode()), AuditorText.of(CANONICAL.encode())]
    )
    assert both.status is LineStatus.OK


def test_a_receipt_that_found_no_words_has_no_span_that_could_differ() -> None:
    verdict = make_verdict()
    verdict["existence"] |= {
        "status": "ABSENT",
        "char_start": None,
        "char_end": None,
        "span_sha256": None,
    }
    verdict["support"] |= {"status": "NOT_RUN", "reason": "no_span", "evidence": None}
    verdict["codes"][1], verdict["codes"][3] = "EXISTENCE_ABSENT", "SUPPORT_NOT_RUN"
    verdict["outcome"] = "fail"
    summary = make_summary() | {
        "result": "fail",
        "all_spans_present": False,
        "all_claims_entailed": False,
        "counts": {"verdicts": 1, "pass": 0, "fail": 1, "review": 0, "error": 0},
    }
    line = check_spans(
        say(verdicts=[verdict], summary=summary), [AuditorText.of(CANONICAL.encode())]
    )
    assert line.status is LineStatus.OK
    assert "no words" in line.words


def test_the_words_of_a_false_span_name_its_place() -> None:
    verdict = make_verdict()
    verdict["existence"]["span_sha256"] = sha256("other words")
    line = check_spans(say(verdicts=[verdict]), [AuditorText.of(CANONICAL.encode())])
    start, end = SPAN
    assert line.words == (
        f"Expected the words that were signed for [1] at {start} to {end} of {EXTRACTION_ID}, "
        "got others. Do not rely on the receipt: it does not say what its text says."
    )
