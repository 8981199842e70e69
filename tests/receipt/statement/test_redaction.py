"""Redaction: every text of a verdict becomes its digest, everything else stays and can be read."""

from __future__ import annotations

import json

from spanproof.core.digest import Digest
from spanproof.receipt.statement.predicate import read_signed
from spanproof.receipt.statement.redaction import hash_text
from spanproof.receipt.statement.signed_verdict import VERDICT
from tests.receipt.block_verdict import SPAN, WORDS, make_verdict, redact_verdict


def test_every_text_becomes_its_digest_and_nothing_else_changes() -> None:
    words = iter(WORDS)
    verdict = make_verdict(words)
    used = WORDS[: len(WORDS) - len(list(words))]
    redacted = json.dumps(redact_verdict(verdict, span_sha256=SPAN))
    assert "secret" not in redacted
    for text in used:
        assert hash_text(text) in redacted, text
    read = read_signed(VERDICT, json.loads(redacted), what="the verdict")
    assert read.existence.offsets == (10, 18)
    assert read.existence.span_sha256 == Digest(SPAN)
    assert read.support.logits["entailed"] == "0.000000"
    assert read.locator.bbox == ("72.000000", "312.500000", "540.000000", "348.200000")
    assert read.notes_sha256 == Digest.of(verdict["notes"].encode())
    # The verdict itself is as it was.
    assert verdict == make_verdict(iter(WORDS))


def test_a_reason_of_another_package_is_no_place_for_text() -> None:
    reason = "The claim says $6,000 where the source says $5,000."
    terms = [{"name": reason, "value": 0.5, "weight": 1.0}]
    verdict = make_verdict(iter(WORDS), reason=reason, terms=terms)
    redacted = redact_verdict(verdict, span_sha256=SPAN)
    assert redacted["support"]["reason"] == f"sha256-{hash_text(reason)}"
    assert redacted["support"]["terms"][0]["name"] == redacted["support"]["reason"]
    read = read_signed(VERDICT, json.loads(json.dumps(redacted)), what="the verdict")
    assert read.support.reason == redacted["support"]["reason"]


def test_what_is_null_stays_null() -> None:
    verdict = make_verdict(iter(WORDS), read=None, joint=None, reason=None)
    verdict["existence"] |= {"difference": None, "char_start": None, "char_end": None}
    verdict["locator"]["witness"]["read"] = None
    redacted = redact_verdict(verdict, span_sha256=None)
    assert redacted["existence"]["difference"] is None
    assert redacted["existence"]["span_sha256"] is None
    assert redacted["locator"]["witness"]["read_sha256"] is None
    assert redacted["support"]["read"] is redacted["support"]["joint"] is None
    read = read_signed(VERDICT, json.loads(json.dumps(redacted)), what="the verdict")
    assert read.existence.offsets is None


def test_half_a_surrogate_pair_has_a_digest_too() -> None:
    assert hash_text("\ud800") != hash_text("?")
