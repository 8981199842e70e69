"""What the predicate of ``issued.make_case`` must say, written down by hand: no code of ours.

Only digests are computed, of the very words and bytes that docs/reference/receipts.md names.
"""

from __future__ import annotations

import json
from typing import Any

from tests.receipt.issued import LEASE, LEASE_FILE, MANUAL, MANUAL_FILE, PAID, PROSE, SCANNED
from tests.receipt.issued import SPARE_FILE as SPARE
from tests.receipt.statements import digest, identify, sha256

Json = dict[str, Any]


def configuration(pipeline: str) -> bytes:
    """What a pipeline of that name is configured by."""
    return json.dumps({"name": pipeline}, separators=(",", ":")).encode()


def write_text(
    content: bytes, text: str, pipeline: str, *, layout: str | None, sandbox: str
) -> Json:
    """A text as a document's entry has it."""
    return {
        "extraction_id": identify(digest(content), text, configuration(pipeline)),
        "sha256": sha256(text),
        "code_points": len(text),
        "extraction_pipeline": pipeline,
        "pipeline_config_sha256": sha256(configuration(pipeline)),
        "layout_sha256": layout,
        "sandbox_level": sandbox,
    }


def write_citation(anchor: int, **given: Any) -> Json:
    """A citation with these fields, and null for those that were not given."""
    names = ("doc_hash", "doc_id_sha256", "extraction_id", "text_sha256")
    absent = dict.fromkeys((*names, "char_start", "char_end", "unit"))
    return {"anchor": anchor, **absent, "repaired": False} | given


def digest_json(value: Any) -> str:
    """SHA-256 of JCS with numbers as decimal strings; names in ASCII sort as JCS has them."""
    plain = to_decimals(value)
    return digest(json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def to_decimals(value: Any) -> Any:
    """A JSON value with its floats as strings of six decimals."""
    if isinstance(value, dict):
        return {name: to_decimals(item) for name, item in value.items()}
    if isinstance(value, list):
        return [to_decimals(item) for item in value]
    return f"{value:.6f}" if isinstance(value, float) else value


SCANNED_TEXT = write_text(MANUAL_FILE, SCANNED, "ocr@1", layout=None, sandbox="limits")
READ_TEXT = write_text(
    MANUAL_FILE, MANUAL, "pdf@2", layout=sha256("layout"), sandbox="landlock+seccomp"
)
LEASE_TEXT = write_text(LEASE_FILE, LEASE, "html@3", layout=None, sandbox="landlock")
#: Where the canonical text says the words that each verdict found; None: at no one place.
SPANS = (PAID, "The rent is 900", "Approved invoices are paid\nwithin four days.", None, None)
#: Every field but ``verdicts``, ``verdicts_digest`` and ``block_digest``.
EXPECTED: Json = {
    "schema_version": 1,
    "receipt_id": "01935a6e-8a00-7000-8000-000000000001",
    "verification_id": "0b0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10",
    "nonce": "000102030405060708090a0b0c0d0e0f",
    "time_issued": "2026-11-20T14:00:01.123Z",
    "verified_at": "2026-11-20T14:00:01Z",
    "log": {
        "origin": "log.example.com",
        "intake_index": 4,
        "intake_leaf_hash": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    },
    "actor": {"key_id": "key-7", "oidc_sub_hash": digest("subject")},
    "tenant_log": "log.example.com",
    "request": {
        "digest": digest("request"),
        "form": "raw_bytes",
        "format": "native",
        "policy": "careful",
        "repair": {"sentences": True, "max_repairs": 5},
        "toggles": {"policy": "balanced", "engine": None},
        "offset_unit": "unicode_code_point",
        "sampled": {"scheme": "hmac", "epoch_commitment": digest("epoch"), "rate": "0.100000"},
    },
    "verifier": {
        "id": "spanproof",
        "version": "1.2.3",
        "source_commit": "ab" * 20,
        "lockfile_sha256": sha256("lockfile"),
        "image_digest": digest("image"),
        "sandbox_level": "limits",
        "platform": "linux-x86_64",
    },
    "policy": {
        "name": "careful",
        "version": 3,
        "digest": digest("policy"),
        "thresholds": {
            "entail": "0.980000",
            "neutral": "0.860000",
            "contradict": "0.600000",
            "margin": "0.001000",
        },
    },
    "model": {
        "name": "model",
        "weights_sha256": sha256("weights"),
        "runtime": "runtime 1.0",
        "calibration": "older",
        "threshold": "0.900000",
        "thresholds": {"careful": "0.980000", "strict": None},
        "labels": ["entailed", "neutral", "contradicted"],
        "replayable": False,
        "calibration_check": {
            "status": "stale",
            "name": "fitted",
            "digest": digest("calibration"),
            "n": 400,
            "date": "2026-10-31",
            "bound": {
                "alpha": "0.050000",
                "delta": "0.100000",
                "n": 500,
                "threshold": "0.980000",
                "selected": 300,
                "errors": 2,
                "upper": "0.020900",
                "method": "clopper-pearson",
            },
        },
    },
    "answer": {"sha256": sha256(PROSE), "code_points": 85, "kind": "clarifying_question"},
    "documents": [
        {
            "doc_hash": digest(MANUAL_FILE),
            "doc_ids": ["manual", "handbook"],
            "byte_length": len(MANUAL_FILE),
            "media_type": "application/pdf",
            "canonical_texts": [SCANNED_TEXT, READ_TEXT],
        },
        {
            "doc_hash": digest(LEASE_FILE),
            "doc_ids": ["lease"],
            "byte_length": len(LEASE_FILE),
            "media_type": "text/html",
            "canonical_texts": [LEASE_TEXT],
        },
        {
            "doc_hash": digest(SPARE),
            "doc_ids": [],
            "byte_length": len(SPARE),
            "media_type": "text/plain",
            "canonical_texts": [],
        },
    ],
    "citations": [
        write_citation(
            1,
            doc_id_sha256=sha256("manual"),
            extraction_id=READ_TEXT["extraction_id"],
            text_sha256=sha256(PAID),
            char_start=13,
            char_end=57,
            unit="codepoint",
        ),
        write_citation(
            2,
            doc_hash=digest(LEASE_FILE),
            text_sha256=sha256("The rent is 800"),
            char_start=0,
            char_end=15,
            unit="utf16",
        ),
        write_citation(
            3,
            doc_hash=digest(MANUAL_FILE),
            doc_id_sha256=sha256("handbook"),
            text_sha256=sha256(PAID),
            repaired=True,
        ),
        write_citation(4, doc_id_sha256=sha256("nobody")),
        write_citation(
            5,
            doc_id_sha256=sha256("lease"),
            text_sha256=sha256("euros"),
            char_start=16,
            char_end=21,
            unit="codepoint",
        ),
        write_citation(
            6,
            doc_id_sha256=sha256("manual"),
            text_sha256=sha256("days"),
            char_start=9007199254740991,
            unit="utf8",
            repaired=True,
        ),
    ],
    "digests": {
        "question": digest("question"),
        "retrieved": digest("retrieved"),
        "context": digest("context"),
        "prompt": digest("prompt"),
        "field_registry": digest("field_registry"),
        "toggles": digest("toggles"),
    },
    "repaired": [2, 5],
    "summary": {
        "result": "fail",
        "level": "RED",
        "all_spans_present": False,
        "all_claims_entailed": False,
        "recommended_action": "withhold",
        "abstention_reason": "no_source",
        "codes": ["UNGROUNDED"],
        "counts": {"verdicts": 5, "pass": 2, "fail": 1, "review": 1, "error": 1},
        "sentences": 7,
        "uncited_claims": 2,
        "citation_density": "0.666667",
        "declared": {"count": 6, "density": "0.857143"},
        "orphan_anchors": [{"anchor": 9, "start": 10, "end": 13}],
        "unused_citations": [6],
        "imported": {
            "format": "native",
            "declared_unit": "undocumented",
            "observed_unit": "utf16",
            "ambiguous": True,
            "unmapped": 3,
            "codes": ["CITATION_UNMAPPED", "OFFSET_UNIT_AMBIGUOUS"],
        },
    },
    "supersedes": digest("receipt"),
    "limitations": "urn:spanproof:limitations:v1",
}
