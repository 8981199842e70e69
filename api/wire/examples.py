"""Whole answers of the service, for the OpenAPI document; a test compares them with real ones.

One document of one line, one answer that cites it; the model is named ``example``, its figures are
made up. Everything else is what the service answers.
"""

from __future__ import annotations

from typing import Any

from api.wire import index
from api.wire.answer import EXAMPLE
from api.wire.attribution import EXAMPLE_OUT as ATTRIBUTION
from api.wire.bulk import BULK_ROW
from api.wire.configuration import CITATION_MODE, CITATION_MODE_LIST
from api.wire.erasure import ERASED
from api.wire.field_examples import FIELD_CALIBRATION, FIELDS
from api.wire.grammars import CLEANED_EXAMPLE as CLEANED
from api.wire.grammars import PROMPTED_EXAMPLE as PROMPTED
from api.wire.job import JOB, JOB_LIST
from api.wire.keys import KEY, KEY_LIST, NEW_KEY
from api.wire.receipt import EXAMPLE as RECEIPT
from api.wire.sampling import RATES, REVIEW, REVIEW_LIST, SUBMISSION, SUBMISSION_LIST
from api.wire.webhook import ROTATED, TRY_LIST, WEBHOOK, WEBHOOK_LIST, WEBHOOK_MADE

_DOC_HASH = "sha256:b18072d3857977dc9463a96d93e37ab0dcab90fbb00a7baa0c7191be1d274ceb"
_EXTRACTION_ID = "sha256:2d360693b64bca5a680b40251e8afe20cbe3659f4b3a9a74fc94beb91e1f77c3"
_PIPELINE_DIGEST = "sha256:95820346253ce1efb93a3a43f9f1497ef996365511c5d5aa528ee61b0d1ad725"
_POLICY_DIGEST = "sha256:98f3cfc5bfe91ceb26b9ba7e3a161a166b7d15b5690b5854b686da4ed78affd0"
_CALIBRATION_DIGEST = "sha256:e152337e4e85aa3e81482f0ce329aec7bfad531413fe53fef84f1f0d4165caee"
_WEIGHTS = "50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"
_VERIFIER_VERSION = (
    "spanproof@0.1.0 procedure@5 folds-3"
    f" policy@balanced-3:{_POLICY_DIGEST} model@example:sha256:{_WEIGHTS} runtime@example"
)
_LINE_DIGEST = "sha256:ee9655b1c9f5d9cab4f39e0f12fec8b1dc705a9ef3ae4d26a5db8c266337e136"
_MOMENT = "2026-11-20T18:09:23Z"
_BOX = [218.12, 88.18, 341.0, 103.29]
_QUAD = [218.12, 753.82, 341.0, 753.82, 341.0, 738.71, 218.12, 738.71]

PUT_QUERY = {
    "doc_id": "supply-agreement",
    "title": "Supply agreement",
    "filename": "supply-agreement.pdf",
}
#: The document's SHA-256 as RFC 9530 writes it.
DIGEST_FIELD = "sha-256=:sYBy04V5d9yUY6ltk+N6sNyrkPuwCnuqDHGRvh0nTOs=:"
INGESTED: dict[str, Any] = {
    "path": "supply-agreement.pdf",
    "doc_id": "supply-agreement",
    "doc_hash": _DOC_HASH,
    "media_type": "application/pdf",
    "bytes": 678,
    "extraction_id": _EXTRACTION_ID,
    "extraction_pipeline": "pymupdf@2.0+canon-1+flags-3",
    "pipeline_digest": _PIPELINE_DIGEST,
    "text_sha256": "sha256:f792763cd6794edf11b3ba4291d54f28abf55032e537fde555e24f965af2be02",
    "characters": 76,
    "pages": 1,
    "text_source": "born_digital",
    "flags": {},
    "status": "ok",
    "problem": None,
    "sandbox": "landlock+seccomp",
    "witness": None,
}
DOCUMENT: dict[str, Any] = {name: value for name, value in INGESTED.items() if name != "path"} | {
    "doc_ids": ["supply-agreement", _DOC_HASH],
    "title": "Supply agreement",
    "added_at": _MOMENT,
    "extraction_ids": [_EXTRACTION_ID],
}
DOCUMENT_LIST: dict[str, Any] = {"documents": [DOCUMENT], "next_cursor": None}
PLACE: dict[str, Any] = {
    "doc_hash": _DOC_HASH,
    "extraction_id": _EXTRACTION_ID,
    "char_start": 29,
    "char_end": 54,
    "text": "within four business days",
    "pages": [
        {
            "page": 1,
            "page_label": None,
            "bbox": _BOX,
            "quads": [_QUAD],
            "rotation": 0,
            "view_box": [0.0, 0.0, 595.0, 842.0],
            "user_unit": 1.0,
        }
    ],
    "places": [],
}
MATCHES: dict[str, Any] = {
    "doc_hash": _DOC_HASH,
    "extraction_id": _EXTRACTION_ID,
    "status": "EXACT",
    "matches": [
        {
            "char_start": 29,
            "char_end": 54,
            "text": "within four business days",
            "page": 1,
            "folds": [],
        }
    ],
    "nearest": [],
}
CHUNK_LIST: dict[str, Any] = {
    "doc_id": "supply-agreement",
    "doc_hash": _DOC_HASH,
    "extraction_id": _EXTRACTION_ID,
    "extraction_pipeline": INGESTED["extraction_pipeline"],
    "chunker": {"name": "chunk-1", "by": "structure", "max_characters": 1000, "overlap": 0},
    "total": 1,
    "chunks": [
        {
            "chunk_id": "chunk-bf2b1e0c3aab4b6d1de53a7c4a2c1b57c1ef1f0a2f3f0fc4c3a3ea5f3c3c9d10",
            "doc_id": "supply-agreement",
            "doc_hash": _DOC_HASH,
            "char_start": 0,
            "char_end": 75,
            "text_sha256": _LINE_DIGEST,
            "extraction_pipeline": INGESTED["extraction_pipeline"],
            "extraction_id": _EXTRACTION_ID,
            "spans": [[0, 75]],
            "page_start": 1,
            "page_end": 1,
            "text": "Defective goods are replaced within four business days of a written notice.",
        }
    ],
    "next_cursor": None,
}
_VERDICT: dict[str, Any] = {
    "anchor": 1,
    "citation": 0,
    "claim": {
        "text": "Defective goods are replaced within four business days [1].",
        "start": 0,
        "end": 59,
        "hypothesis": "Defective goods are replaced within four business days.",
    },
    "identity": {
        "status": "MATCH",
        "doc_hash": _DOC_HASH,
        "extraction_id": _EXTRACTION_ID,
        "chunk": "NOT_GIVEN",
        "newest": None,
    },
    "existence": {
        "status": "EXACT",
        "char_start": 29,
        "char_end": 54,
        "folds": [],
        "candidates": [],
        "difference": None,
    },
    "locator": {
        "status": "MATCH",
        "page": 1,
        "bbox": _BOX,
        "quads": [{"page": 1, "points": _QUAD}],
        "iou": 0.9979,
        "witness": {
            "status": "NOT_ASKED",
            "engine": None,
            "read": None,
            "moved": None,
            "reason": None,
        },
    },
    "support": {
        "status": "ENTAILED",
        "reason": None,
        "p_entailment": 0.97,
        "p_neutral": 0.02,
        "p_contradiction": 0.01,
        "windows": 1,
        "coverage": 1.0,
        "evidence": {"char_start": 29, "char_end": 54},
        "vetoes": [],
        "logits": {
            "entailment": -0.030459208,
            "neutral": -3.912023,
            "contradiction": -4.6051702,
        },
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
        "LOCATOR_MATCH",
        "SUPPORT_ENTAILED",
        "ATTRIBUTION_HERE",
    ],
    "notes": "The quote stands at its place and the span supports the claim.",
    "view_url": f"/view/{_DOC_HASH}/{_EXTRACTION_ID}/29/54",
    "origin": "native",
    "repaired": False,
    "quotations": [],
}
_BLOCK: dict[str, Any] = {
    "verifier_version": _VERIFIER_VERSION,
    "verified_at": _MOMENT,
    "all_spans_present": True,
    "all_claims_entailed": True,
    "result": "pass",
    "level": "YELLOW",
    "citation_density": 1.0,
    "declared": {"count": 1, "density": 1.0},
    "recommended_action": "show",
    "abstention_reason": None,
    "codes": [],
    "orphan_anchors": [],
    "unused_citations": [],
    "uncited_sentences": [],
    "over_cited": [],
    "sentences": 1,
    "policy": {"name": "balanced", "version": 5, "digest": _POLICY_DIGEST},
    "model": {
        "name": "example",
        "weights_sha256": _WEIGHTS,
        "runtime": "example",
        "calibration": "example",
        "threshold": 0.5,
        "thresholds": {},
        "labels": ["entailment", "neutral", "contradiction"],
        "replayable": True,
    },
    "calibration": {
        "status": "applied",
        "name": "example",
        "digest": _CALIBRATION_DIGEST,
        "n": 400,
        "date": "2026-11-20",
        "bound": None,
    },
    "verdicts_digest": "sha256:cf6d1cf0aad4cfcc9ca0daaecda3c37d3a46f99581ba0d6298fb03efaaffdecf",
    "import": {
        "format": "native",
        "declared_unit": "codepoint",
        "observed_unit": "codepoint",
        "ambiguous": True,
        "unmapped": [],
        "remarks": [],
    },
    "repair": None,
    "verdicts": [_VERDICT],
}
VERIFICATION: dict[str, Any] = EXAMPLE | {
    "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
    "verification": _BLOCK,
    "receipt": RECEIPT,
}
VERIFICATION_LIST: dict[str, Any] = {
    "verifications": [
        {
            "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
            "answer_id": "5d2f7c5e-0c0b-4b52-9f6e-6a9ad2b0c9f1",
            "verified_at": _MOMENT,
            "result": "pass",
            "level": "YELLOW",
            "verdicts": 1,
            "generator_model": None,
            "prompt_id": None,
            "excerpt": "Defective goods are replaced within four business days [1].",
        }
    ],
    "next_cursor": None,
}
_VERDICT = VERIFICATION["verification"]["verdicts"][0]
ANSWER_LIST: dict[str, Any] = {
    "answers": [
        VERIFICATION_LIST["verifications"][0]
        | {
            "citations": [
                {
                    "verdict": 0,
                    "citation": 0,
                    "doc_hash": _VERDICT["identity"]["doc_hash"],
                    "extraction_id": _VERDICT["identity"]["extraction_id"],
                    "char_start": _VERDICT["existence"]["char_start"],
                    "char_end": _VERDICT["existence"]["char_end"],
                    "pages": [1],
                    "outcome": "pass",
                    "codes": sorted(_VERDICT["codes"]),
                    "index_version": None,
                    "chunk_id": None,
                }
            ]
        }
    ],
    "next_cursor": None,
}
FEEDBACK: dict[str, Any] = {
    "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
    "result": "pass",
    "items": [],
}
HEALTH = {"status": "ok"}
READY: dict[str, Any] = {
    "ready": True,
    "checks": [
        {"name": "database", "status": "ok", "code": None, "detail": "reachable", "hint": None},
        {"name": "blobs", "status": "ok", "code": None, "detail": "writable", "hint": None},
        {"name": "policy", "status": "ok", "code": None, "detail": "balanced 3", "hint": None},
        {"name": "model", "status": "ok", "code": None, "detail": "example", "hint": None},
        {
            "name": "log",
            "status": "ok",
            "code": None,
            "detail": "t-7132e8242f03.spanproof.internal takes leaves",
            "hint": None,
        },
    ],
}
VERSION: dict[str, Any] = {
    "version": "0.1.0",
    "api": "v1",
    "procedure": 1,
    "details": {
        "python": "3.11.9",
        "pymupdf": "1.26.4",
        "torch": "2.8.0",
        "transformers": "4.56.0",
    },
}
#: The example of each shape that a success has.
BY_SHAPE: dict[str, dict[str, Any]] = {
    "FieldsOut": FIELDS,
    "AccessKeyOut": KEY,
    "NewAccessKeyOut": NEW_KEY,
    "AccessKeyListOut": KEY_LIST,
    "CitationModeOut": CITATION_MODE,
    "CitationModeListOut": CITATION_MODE_LIST,
    "CleanTextOut": CLEANED,
    "PromptOut": PROMPTED,
    "FieldCalibrationOut": FIELD_CALIBRATION,
    "IngestOut": INGESTED,
    "DocumentOut": DOCUMENT,
    "DocumentListOut": DOCUMENT_LIST,
    "LocateOut": PLACE,
    "FindOut": MATCHES,
    "ChunkListOut": CHUNK_LIST,
    "AttributedOut": ATTRIBUTION,
    "VerificationOut": VERIFICATION,
    "ReceiptOut": RECEIPT,
    "FeedbackOut": FEEDBACK,
    "VerificationListOut": VERIFICATION_LIST,
    "AnswerListOut": ANSWER_LIST,
    "VerificationRowOut": VERIFICATION_LIST["verifications"][0],
    "AnswerRowOut": ANSWER_LIST["answers"][0],
    "SubmissionOut": SUBMISSION,
    "SubmissionListOut": SUBMISSION_LIST,
    "RatesOut": RATES,
    "ReviewOut": REVIEW,
    "ReviewListOut": REVIEW_LIST,
    "JobOut": JOB,
    "JobListOut": JOB_LIST,
    "BulkRowOut": BULK_ROW,
    "ErasedListOut": ERASED,
    "WebhookOut": WEBHOOK,
    "WebhookMadeOut": WEBHOOK_MADE,
    "WebhookListOut": WEBHOOK_LIST,
    "SecretOut": ROTATED,
    "TryListOut": TRY_LIST,
    "RegisteredOut": index.REGISTERED,
    "IndexListOut": index.INDEX_LIST,
    "VersionListOut": index.VERSION_LIST,
    "DiffOut": index.DIFF,
    "IndexDriftOut": index.DRIFT,
    "HealthOut": HEALTH,
    "ReadyOut": READY,
    "VersionOut": VERSION,
}
