"""Complete responses for the OpenAPI document; a test compares them with real ones.

A one-line document and an answer that cites it. The model ``example`` and its numbers are invented;
everything else is what the service returns.
"""

from __future__ import annotations

from typing import Any

from spanproof.api.http.wire import accesses, decision, index, keeping, source
from spanproof.api.http.wire.administration import (
    CITATION_MODE,
    CITATION_MODE_LIST,
    HEALTH,
    KEY,
    KEY_LIST,
    NEW_KEY,
    READY,
    ROTATED,
    TRY_LIST,
    VERSION,
    WEBHOOK,
    WEBHOOK_LIST,
    WEBHOOK_MADE,
    WORDS_MODE,
)
from spanproof.api.http.wire.attribution import EXAMPLE_OUT as ATTRIBUTION
from spanproof.api.http.wire.changes import PIN, PIN_LIST, REHEARSAL
from spanproof.api.http.wire.erasure import ERASED
from spanproof.api.http.wire.examples.documents import (
    CHUNK_LIST,
    DOCUMENT,
    DOCUMENT_LIST,
    INGESTED,
    MATCHES,
    PLACE,
)
from spanproof.api.http.wire.examples.fields import FIELD_CALIBRATION, FIELDS
from spanproof.api.http.wire.examples.verifications import (
    ANSWER_LIST,
    FEEDBACK,
    VERIFICATION,
    VERIFICATION_LIST,
)
from spanproof.api.http.wire.grammars import CLEANED_EXAMPLE as CLEANED
from spanproof.api.http.wire.grammars import PROMPTED_EXAMPLE as PROMPTED
from spanproof.api.http.wire.job import BULK_ROW, JOB, JOB_LIST
from spanproof.api.http.wire.receipt import EXAMPLE as RECEIPT
from spanproof.api.http.wire.sampling import RATES, REVIEW, REVIEW_LIST, SUBMISSION, SUBMISSION_LIST

#: The example of each successful response, by shape.
BY_SHAPE: dict[str, dict[str, Any]] = {
    "FieldsOut": FIELDS,
    "AccessKeyOut": KEY,
    "NewAccessKeyOut": NEW_KEY,
    "AccessKeyListOut": KEY_LIST,
    "CitationModeOut": CITATION_MODE,
    "WordsModeOut": WORDS_MODE,
    "PolicyPinOut": PIN,
    "PolicyPinListOut": PIN_LIST,
    "RehearsalOut": REHEARSAL,
    "CitationModeListOut": CITATION_MODE_LIST,
    "CleanTextOut": CLEANED,
    "PromptOut": PROMPTED,
    "FieldCalibrationOut": FIELD_CALIBRATION,
    "IngestOut": INGESTED,
    "DocumentOut": DOCUMENT,
    "DocumentListOut": DOCUMENT_LIST,
    "SourceChangeOut": source.CHANGED,
    "SourceChangeListOut": source.CHANGE_LIST,
    "AffectedListOut": source.AFFECTED,
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
    "AccessOut": accesses.ACCESS,
    "AccessListOut": accesses.ACCESS_LIST,
    "AccessDayListOut": accesses.DAY_LIST,
    "DecisionOut": decision.DECISION,
    "DecisionListOut": decision.DECISION_LIST,
    "HoldOut": keeping.HOLD,
    "HoldListOut": keeping.HOLD_LIST,
    "RetentionOut": keeping.DUE,
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
