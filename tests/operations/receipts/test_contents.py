"""Receipts as they are issued: what they bind, what they say, what they hide."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core import canonical_json
from spanproof.core.canonical_json import with_decimal_strings
from spanproof.core.digest import Digest
from spanproof.core.errors import ReceiptNotFoundError, VerificationNotFoundError
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.operations.assembly import open_context
from spanproof.operations.receipts import issuing
from spanproof.operations.receipts.stored import find_receipt, show_receipt
from spanproof.operations.verification.request import RepairRequest, VerificationRequest
from spanproof.operations.verification.stored import show_verification
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.content import AuditorFile, AuditorText
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import LineStatus, Question
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange
from spanproof.receipt.statement.redaction import hash_text
from tests.operations.receipts.conftest import TEXT, list_statements, make_payload, read_predicate
from tests.receipt.block_verdict import redact_verdict
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings

SECRETS = ("zanzibar", "quagmire", "xylophone", "haberdasher", "vermilion")


def test_a_receipt_checks_out_against_the_trust_file(kept: Context) -> None:
    verification = verify_payload(kept, make_payload())
    trust = kept.issuer.keys.keys.to_trust(kept.log.origin)
    raw = show_receipt(kept, verification.verification_id).content
    text = AuditorText(digest=Digest.of(TEXT.encode()), text=TEXT)
    inputs = AuditInputs(sources=(AuditorFile.of(TEXT.encode()),), texts=(text,))
    report = check_receipt(raw, trust, inputs, now=datetime.now(UTC))
    found = {line.question: line.status for line in report.lines}
    asked = (Question.SIGNATURE, Question.LOG, Question.DOCUMENT, Question.SPAN)
    assert {found[each] for each in asked} == {LineStatus.OK}
    assert json.loads(raw) == verification.receipt
    assert canonical_json.dumps(verification.receipt) == raw


def test_what_is_shown_later_is_what_was_answered(kept: Context) -> None:
    verification = verify_payload(kept, make_payload())
    shown = show_verification(kept, verification.verification_id)
    assert shown == json.loads(json.dumps(verification.response))
    assert shown["receipt"] == find_receipt(kept, verification.verification_id)


def test_failed_and_errored_answers_get_receipts_too(kept: Context) -> None:
    failed = verify_payload(kept, make_payload("The moon is made of green cheese and honey."))
    assert read_predicate(failed.receipt).summary.result == "fail"
    unknown = {"anchor": 1, "doc_id": "nobody", "span": {"text": SENTENCE}}
    errored = verify_payload(kept, make_payload(citations=[unknown]))
    assert read_predicate(errored.receipt).summary.result == "error"
    assert read_predicate(errored.receipt).documents == ()


def test_the_receipt_binds_every_input(kept: Context) -> None:
    prompt = hash_text("a prompt")
    retrieved = [{"chunk_id": "c1", "doc_id": "agreement", "text": SENTENCE, "score": 0.5}]
    raw = make_payload(
        question="When?",
        retrieved=retrieved,
        generator={"model": "m", "prompt_sha256": prompt},
        context={"a": {"b": 10**20}},
        registry={"prefixes": {}},
        labels={"mode": "strict"},
    )
    plain, full = verify_payload(kept, make_payload()), verify_payload(kept, raw)
    digests = read_predicate(full.receipt).digests
    assert digests.question == Digest.of(b"When?")
    assert digests.prompt == Digest(prompt)
    assert digests.retrieved == canonical_json.digest(with_decimal_strings(retrieved))
    assert digests.context == canonical_json.digest({"a": {"b": str(10**20)}})
    assert digests.field_registry == canonical_json.digest({"prefixes": {}})
    request = read_predicate(full.receipt).request
    toggles = {
        "format": "native",
        "policy": None,
        "repair": None,
        "settings": request.toggles,
        "labels": {"mode": "strict"},
    }
    assert digests.toggles == canonical_json.digest(toggles)
    without = read_predicate(plain.receipt).digests
    absent = (without.question, without.retrieved, without.context, without.prompt)
    assert (*absent, without.field_registry) == (None,) * 5
    assert without.toggles != digests.toggles


@pytest.mark.parametrize("stated", ["sha256:" + "ab" * 32, "ab" * 32, "the prompt of May", "AB"])
def test_a_prompt_is_bound_as_it_was_stated(kept: Context, stated: str) -> None:
    raw = make_payload(generator={"prompt_sha256": stated})
    prompt = read_predicate(verify_payload(kept, raw).receipt).digests.prompt
    is_digest = stated.endswith("ab" * 32)
    assert prompt == (Digest("ab" * 32) if is_digest else Digest.of(stated.encode()))


def test_wishes_and_repairs_are_bound(kept: Context) -> None:
    retrieved = [{"chunk_id": "c1", "doc_id": "agreement", "text": SENTENCE}]
    raw = make_payload(answer=SENTENCE, citations=[], retrieved=retrieved)
    verification = verify_payload(
        kept, raw, VerificationRequest(policy="strict", repair=RepairRequest(sentences=True))
    )
    predicate = read_predicate(verification.receipt)
    assert predicate.request.policy == "strict"
    assert predicate.request.repair == {"sentences": True, "max_repairs": 5}
    assert predicate.policy.name == "strict"
    assert len(predicate.citations) == len(predicate.repaired)
    assert verification.block.repair is not None
    assert verification.block.repair.attached == len(predicate.repaired)


def test_the_verdicts_are_the_blocks_own_without_a_word(kept: Context) -> None:
    quote = "The zanzibar clause costs $6,000 a year and shall lapse."
    raw = make_payload(
        quote,
        answer='The vermilion clause "costs $6,000 a year" and haberdasher may lapse [1].',
        question="What about the xylophone?",
    )
    verification = verify_payload(kept, raw)
    block = json.loads(json.dumps(block_to_json(verification.block)))
    payload = base64.b64decode((verification.receipt or {})["dsseEnvelope"]["payload"])
    signed = json.loads(payload)["predicate"]
    (verdict,) = block["verdicts"]
    start, end = verdict["existence"]["char_start"], verdict["existence"]["char_end"]
    span = None if start is None else hash_text(TEXT[start:end])
    assert signed["verdicts"] == [redact_verdict(verdict, span_sha256=span)]
    assert signed["verdicts_digest"] == block["verdicts_digest"]
    digest = canonical_json.digest(with_decimal_strings(block))
    assert signed["block_digest"] == str(digest)
    assert signed["answer"]["sha256"] == hash_text(json.loads(raw)["answer"])


def test_no_word_of_answer_or_document_stands_in_a_receipt_or_the_log(kept: Context) -> None:
    quotes = (
        "The zanzibar clause costs $6,000 a year and shall lapse.",
        "The quagmire fee is due on 4 March 2026.",
        "A xylophone was never mentioned in any vermilion clause.",
    )
    for quote in quotes:
        raw = make_payload(
            quote,
            answer='The haberdasher says "vermilion zanzibar" and xylophone [1]. Quagmire!',
            question="Which xylophone?",
            labels={"topic": "vermilion"},
            session_id="haberdasher",
            retrieved=[{"chunk_id": "zanzibar-1", "doc_id": "agreement", "text": quote}],
        )
        verification = verify_payload(kept, raw)
        receipt = verification.receipt or {}
        kept_bytes = base64.b64decode(receipt["dsseEnvelope"]["payload"]).lower()
        kept_bytes += json.dumps(receipt).lower().encode()
        for secret in SECRETS:
            assert secret.encode() not in kept_bytes, secret
    for index in range(kept.log.head().size):
        entry = kept.log.read_entry(index).lower()
        assert not any(secret.encode() in entry for secret in SECRETS)


def test_two_receipts_of_one_answer_have_nothing_that_links_their_leaves(kept: Context) -> None:
    raw = make_payload()
    first, second = (verify_payload(kept, raw) for _ in range(2))
    one, two = read_predicate(first.receipt), read_predicate(second.receipt)
    assert one.nonce != two.nonce
    assert one.receipt_id < two.receipt_id
    assert one.verdicts_digest == two.verdicts_digest
    digests = {
        json.loads(kept.log.read_entry(i))["spec"]["hashedRekordV002"]["data"]["digest"]
        for i in range(kept.log.head().size)
    }
    assert len(digests) == kept.log.head().size


def test_a_change_of_what_verdicts_hang_on_is_logged_once(
    kept: Context, settings: Settings
) -> None:
    verify_payload(kept, make_payload())
    verify_payload(kept, make_payload(), VerificationRequest(policy="strict"))
    verify_payload(kept, make_payload())
    verify_payload(kept, make_payload(), VerificationRequest(policy="strict"))
    events = [
        parse_event(each.statement.payload)
        for each in list_statements(kept.log)
        if each.statement.kind == "config-change"
    ]
    first, second = events
    assert isinstance(first, ConfigChange)
    assert isinstance(second, ConfigChange)
    assert {change.name for change in first.changes} >= {
        "verifier",
        "policy:balanced",
        "thresholds:balanced",
        "model",
        "settings",
    }
    assert all(change.old is None for change in first.changes)
    assert {change.name for change in second.changes} == {"policy:strict", "thresholds:strict"}
    # Another process knows what was logged; other settings are a change with its old digest.
    changed = settings.model_copy(update={"cross_check_rate": 0.25})
    with open_context(changed, model=kept.model, parser=kept.parser) as other:
        verify_payload(other, make_payload())
        third = parse_event(other.log.find_statements(issuing.CONFIGURATION)[-1].statement.payload)
    assert isinstance(third, ConfigChange)
    (change,) = third.changes
    assert change.name == "settings"
    assert change.old is not None
    assert change.old != change.new


def test_an_old_verification_has_no_receipt_and_says_so(kept: Context) -> None:
    made = verify_payload(kept, make_payload())
    old = "11111111-1111-4111-8111-111111111111"
    kept.store.answers.add(
        make_payload(),
        dict(block_to_json(made.block)),
        verification_id=old,
        answer_id="old",
        verified_at=made.block.verified_at,
    )
    assert show_verification(kept, old)["receipt"] is None
    with pytest.raises(ReceiptNotFoundError):
        show_receipt(kept, old)
    with pytest.raises(VerificationNotFoundError):
        show_receipt(kept, "22222222-2222-4222-8222-222222222222")


def test_the_bundle_is_one_that_the_strict_reader_takes(kept: Context, tmp_path: Path) -> None:
    verification = verify_payload(kept, make_payload())
    path = tmp_path / "r.sigstore.json"
    path.write_bytes(show_receipt(kept, verification.verification_id).content)
    receipt = parse_bundle(path.read_bytes())
    assert receipt.included.leaf.origin == kept.log.origin
    assert receipt.key_id == kept.issuer.keys.find_entry_key().key_id


@pytest.mark.parametrize(
    "fields",
    [
        {"span": {"text": SENTENCE, "char_start": 2**60, "char_end": 2**60 + 5}},
        {"doc_id": "agree\nment\u2028"},
        {"doc_id": "x" * 20_000},
        {"span": {"text": "agree\x00ment"}},
        {"span": {"text": SENTENCE, "char_start": 0, "char_end": 7, "unit": "utf16"}},
        {"pdf_locator": {"page": 3, "bbox": [1, 2, 3, 4]}},
    ],
)
def test_no_citation_is_too_odd_for_a_receipt(kept: Context, fields: dict[str, Any]) -> None:
    citation: dict[str, Any] = {
        "anchor": 1,
        "doc_id": "agreement",
        "span": {"text": SENTENCE},
    } | fields
    predicate = read_predicate(verify_payload(kept, make_payload(citations=[citation])).receipt)
    (signed,) = predicate.citations
    assert signed.doc_id_sha256 == Digest(hash_text(citation["doc_id"]))
    start = citation["span"].get("char_start")
    assert signed.char_start == (None if start == 2**60 else start)


@pytest.mark.parametrize(
    "fields",
    [
        {"answer": "", "citations": []},
        {"answer": "I do not know.", "citations": [], "answer_kind": "abstention"},
        {"answer": "It is so [99999999999999999999].", "citations": []},
        {"labels": {"a\n": "b\u2028"}, "context": {"a": 1e308, "b": -0.0}},
    ],
)
def test_no_answer_is_too_odd_for_a_receipt(kept: Context, fields: dict[str, Any]) -> None:
    verification = verify_payload(kept, make_payload(**fields))
    predicate = read_predicate(verification.receipt)
    assert predicate.answer.code_points == len(fields.get("answer", "It is replaced soon [1]."))
    assert predicate.summary.result == verification.block.result
