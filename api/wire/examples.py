"""Whole answers of the service, for the OpenAPI document; a test compares them with real ones.

One document of one line, one answer that cites it; the model is named ``example``, its figures are
made up. Everything else is what the service answers.
"""

from __future__ import annotations

from typing import Any

from spanproof.api.wire import index
from spanproof.api.wire.attribution import EXAMPLE_OUT as ATTRIBUTION
from spanproof.api.wire.bulk import BULK_ROW
from spanproof.api.wire.configuration import CITATION_MODE, CITATION_MODE_LIST
from spanproof.api.wire.document_examples import (
    CHUNK_LIST,
    DOCUMENT,
    DOCUMENT_LIST,
    INGESTED,
    MATCHES,
    PLACE,
)
from spanproof.api.wire.erasure import ERASED
from spanproof.api.wire.field_examples import FIELD_CALIBRATION, FIELDS
from spanproof.api.wire.grammars import CLEANED_EXAMPLE as CLEANED
from spanproof.api.wire.grammars import PROMPTED_EXAMPLE as PROMPTED
from spanproof.api.wire.health import HEALTH, READY, VERSION
from spanproof.api.wire.job import JOB, JOB_LIST
from spanproof.api.wire.keys import KEY, KEY_LIST, NEW_KEY
from spanproof.api.wire.receipt import EXAMPLE as RECEIPT
from spanproof.api.wire.sampling import RATES, REVIEW, REVIEW_LIST, SUBMISSION, SUBMISSION_LIST
from spanproof.api.wire.verification_examples import (
    ANSWER_LIST,
    FEEDBACK,
    VERIFICATION,
    VERIFICATION_LIST,
)
from spanproof.api.wire.webhook import ROTATED, TRY_LIST, WEBHOOK, WEBHOOK_LIST, WEBHOOK_MADE

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
