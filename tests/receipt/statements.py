"""What a sample receipt says: the statement, part by part, each a dict that a test may change."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.canonical_json import dumps

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import LoggedLeaf

MOMENT = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
SENTENCE = "Approved invoices are paid within four business days of their receipt."
#: The document and its canonical text: beyond ASCII and the BMP, so that units cannot be mixed up.
SOURCE = f"Größe der Prüfung 😀\n{SENTENCE}\n".encode()
CANONICAL = SOURCE.decode("utf-8")
SPAN = (CANONICAL.index(SENTENCE), CANONICAL.index(SENTENCE) + len(SENTENCE))
ANSWER = "Approved invoices are paid within four business days [1]."


def make_result(intake: LoggedLeaf, *, moment: datetime = MOMENT, **fields: Any) -> dict[str, Any]:
    """The statement of a verification that passed, logged behind its intake leaf."""
    predicate = make_predicate(intake, moment=moment) | fields
    return make_statement("urn:spanproof:attestation:span-verification:v1", predicate)


def make_statement(kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    """An in-toto Statement v1 about what its predicate names."""
    answer = predicate.get("answer", {"sha256": sha256(ANSWER)})
    subjects = [("answer", answer["sha256"])]
    for position, document in enumerate(predicate.get("documents", [])):
        subjects.append((f"document-{position}", document["doc_hash"].removeprefix("sha256:")))
        subjects += [
            (f"canonical-text-{position}-{number}", text["sha256"])
            for number, text in enumerate(document["canonical_texts"])
        ]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": value}} for name, value in subjects],
        "predicateType": kind,
        "predicate": predicate,
    }


def make_predicate(intake: LoggedLeaf, *, moment: datetime = MOMENT) -> dict[str, Any]:
    """What is said of the answer: one citation, verbatim and entailed."""
    start, end = SPAN
    return {
        "schema_version": 1,
        "receipt_id": "01935a6e-8a00-7000-8000-000000000001",
        "verification_id": "0b0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10",
        "nonce": "000102030405060708090a0b0c0d0e0f",
        "time_issued": to_millis(moment),
        "verified_at": to_text(moment),
        "log": {
            "origin": intake.origin,
            "intake_index": intake.index,
            "intake_leaf_hash": intake.leaf_hash.hex(),
        },
        "actor": {"key_id": None, "oidc_sub_hash": None},
        "tenant_log": intake.origin,
        "request": {
            "digest": digest(b"request"),
            "form": "raw_bytes",
            "format": "native",
            "policy": None,
            "repair": None,
            "toggles": {},
            "offset_unit": "unicode_code_point",
            "sampled": None,
        },
        "verifier": {
            "id": "spanproof",
            "version": "0.1.0",
            "source_commit": None,
            "lockfile_sha256": None,
            "image_digest": None,
            "sandbox_level": "none",
            "platform": "linux-x86_64",
        },
        "policy": {
            "name": "balanced",
            "version": 1,
            "digest": digest(b"policy"),
            "thresholds": {
                "entail": "0.900000",
                "neutral": "0.850000",
                "contradict": "0.500000",
                "margin": "0.010000",
            },
        },
        "model": {
            "name": "model",
            "weights_sha256": sha256(b"weights"),
            "runtime": "onnxruntime 1.31.1",
            "calibration": "none",
            "threshold": "0.900000",
            "thresholds": {},
            "labels": ["entailment", "neutral", "contradiction"],
            "replayable": True,
            "calibration_check": {
                "status": "none",
                "name": None,
                "digest": None,
                "n": None,
                "date": None,
                "bound": None,
            },
        },
        "answer": {"sha256": sha256(ANSWER), "code_points": len(ANSWER), "kind": "answer"},
        "documents": [make_document()],
        "citations": [
            {
                "anchor": 1,
                "doc_hash": digest(SOURCE),
                "doc_id_sha256": sha256("rules"),
                "extraction_id": None,
                "text_sha256": sha256(SENTENCE),
                "char_start": start,
                "char_end": end,
                "unit": "codepoint",
                "repaired": False,
            }
        ],
        "verdicts": [make_verdict()],
        "digests": dict.fromkeys(
            ("question", "retrieved", "context", "prompt", "field_registry", "toggles")
        ),
        "repaired": [],
        "verdicts_digest": digest(b"verdicts"),
        "block_digest": digest(b"block"),
        "summary": make_summary(),
        "supersedes": None,
        "limitations": "urn:spanproof:limitations:v1",
    }


def make_document() -> dict[str, Any]:
    """The document, and the one text of it that was used."""
    return {
        "doc_hash": digest(SOURCE),
        "doc_ids": ["rules"],
        "byte_length": len(SOURCE),
        "media_type": "text/plain",
        "canonical_texts": [
            {
                "extraction_id": EXTRACTION_ID,
                "sha256": sha256(CANONICAL),
                "code_points": len(CANONICAL),
                "extraction_pipeline": "plain@1",
                "pipeline_config_sha256": sha256(b"pipeline"),
                "layout_sha256": None,
                "sandbox_level": "none",
            }
        ],
    }


def make_verdict() -> dict[str, Any]:
    """The one verdict: verbatim at its offsets, entailed."""
    start, end = SPAN
    return {
        "anchor": 1,
        "citation": 0,
        "claim": {
            "start": 0,
            "end": len(ANSWER),
            "text_sha256": sha256(ANSWER),
            "hypothesis_sha256": sha256(ANSWER.replace(" [1]", "")),
        },
        "identity": {
            "status": "MATCH",
            "doc_hash": digest(SOURCE),
            "extraction_id": EXTRACTION_ID,
            "chunk": "NOT_GIVEN",
            "newest": None,
        },
        "existence": {
            "status": "EXACT",
            "char_start": start,
            "char_end": end,
            "span_sha256": sha256(SENTENCE),
            "folds": [],
            "candidates": [],
            "difference": None,
        },
        "locator": {
            "status": "NO_LAYOUT",
            "page": None,
            "bbox": None,
            "quads": [],
            "iou": None,
            "witness": {
                "status": "NOT_ASKED",
                "engine": None,
                "read_sha256": None,
                "moved": None,
                "reason": None,
            },
        },
        "support": {
            "status": "ENTAILED",
            "reason": None,
            "p_entailment": "0.970000",
            "p_neutral": "0.020000",
            "p_contradiction": "0.010000",
            "windows": 1,
            "coverage": "1.000000",
            "evidence": {"char_start": start, "char_end": end},
            "vetoes": [],
            "logits": {},
            "terms": [],
            "grade": "full",
            "subclaims": [],
            "context": "bare",
            "read": None,
            "joint": None,
        },
        "attribution": {"status": "HERE", "supported_by": []},
        "outcome": "pass",
        "codes": [
            "IDENTITY_MATCH",
            "EXISTENCE_EXACT",
            "LOCATOR_NO_LAYOUT",
            "SUPPORT_ENTAILED",
            "ATTRIBUTION_HERE",
        ],
        "notes_sha256": sha256("The words stand there, and they support the claim."),
        "view_url": None,
        "origin": "native",
        "repaired": False,
        "quotations": [],
    }


def make_summary() -> dict[str, Any]:
    """What one verdict that passed comes to."""
    return {
        "result": "pass",
        "level": "YELLOW",
        "all_spans_present": True,
        "all_claims_entailed": True,
        "recommended_action": "show",
        "abstention_reason": None,
        "codes": [],
        "counts": {"verdicts": 1, "pass": 1, "fail": 0, "review": 0, "error": 0},
        "sentences": 1,
        "uncited_claims": 0,
        "citation_density": "1.000000",
        "declared": {"count": 1, "density": "1.000000"},
        "orphan_anchors": [],
        "unused_citations": [],
        "imported": {
            "format": "native",
            "declared_unit": "codepoint",
            "observed_unit": "codepoint",
            "ambiguous": False,
            "unmapped": 0,
            "codes": [],
        },
    }


def to_text(moment: datetime) -> str:
    """RFC 3339, UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def to_millis(moment: datetime) -> str:
    """RFC 3339, UTC, with milliseconds."""
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="milliseconds") + "Z"


def digest(content: bytes | str) -> str:
    """``sha256:`` and hexadecimal."""
    return "sha256:" + sha256(content)


def sha256(content: bytes | str) -> str:
    """Hexadecimal."""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    return hashlib.sha256(raw).hexdigest()


def encode(content: bytes) -> str:
    """Base64, padded."""
    return base64.b64encode(content).decode("ascii")


def identify(doc_hash: str, text: bytes | str, pipeline: bytes = b"pipeline") -> str:
    """An extraction_id as the contract has it: of a document, a pipeline and a text."""
    return digest(dumps([doc_hash, digest(pipeline), digest(text)]))


#: The one text of the one document, as ``make_document`` has it.
EXTRACTION_ID = identify(digest(SOURCE), CANONICAL)
