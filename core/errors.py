"""Errors: what could not be done. A failed verification is data (a verdict), not an error.

SpanproofError                    code, message, hint        (message: public; __cause__: log only)
├── InputError                    the caller's document or answer is not well formed
│   ├── MalformedDigestError
│   ├── MalformedSpanError
│   ├── MalformedAnswerError      carries one FieldProblem for each field that is wrong
│   │   └── AnswerTooDenseError   asks for more verdicts, or a longer block, than one request may
│   ├── MalformedManifestError    a malformed manifest of chunks
│   │   └── ManifestDigestError   its rows are not those that its header announces
│   ├── UnknownPolicyError
│   ├── UnknownGrammarError
│   ├── MalformedGrammarError     a grammar of tokens that cannot be read or written
│   ├── MalformedLabelsError      labelled pairs that are malformed, too few, or of one class only
│   ├── MalformedCasesError       cases of an evaluation with a malformed line
│   ├── MalformedRunError         a run of an evaluation that cannot be read
│   ├── MalformedBulkError        pairs for bulk verification with a malformed column or row
│   ├── MalformedReceiptError     a receipt that cannot be read, or breaks a rule
│   ├── MalformedNoteError        a malformed signed note, checkpoint or log proof
│   └── MalformedTrustError       a malformed trust file
├── ExtractionError               bytes we refuse or cannot read
│   ├── UnsupportedMediaTypeError
│   ├── EncryptedDocumentError
│   ├── EmptyDocumentError
│   ├── BrokenDocumentError
│   ├── OcrNotNeededError
│   └── LimitExceededError
├── NotFoundError
│   ├── DocumentNotFoundError
│   ├── DocumentErasedError       it was here; a leaf of the log says that it was erased
│   ├── VerificationErasedError   the same of an answer
│   ├── WordsNotKeptError         an answer that was kept without its words
│   ├── ExtractionNotFoundError
│   ├── PageNotFoundError
│   ├── VerificationNotFoundError
│   ├── IndexNotFoundError        no version of an index of that name
│   ├── WebhookNotFoundError      no webhook of that id, or it was removed
│   └── ReceiptNotFoundError
├── ConflictError                 an attempt to change what was recorded
├── SettingsError                 a setting that cannot be used
│   ├── ExtraMissingError         what a command needs was not installed: an extra names it
│   ├── SandboxUnavailableError   the kernel lacks what the cage needs, and the cage is required
│   ├── EngineUnavailableError    the chosen PDF engine is not installed
│   ├── OcrUnavailableError       no language data, or an engine without OCR
│   ├── TimestampsUnavailableError  the extra that reads RFC 3161 timestamps is not installed
│   └── KeyUnavailableError       a signing key that is missing, unreadable, or open to others
├── OutputError                   a file that was asked for cannot be written
├── ModelError                    the entailment model cannot be used
│   ├── ModelUnavailableError
│   ├── ModelLabelsError
│   └── CalibrationNotFoundError  no calibration of that name
├── EvidenceError                 evidence that does not show what it should
│   ├── KeyNotTrustedError        a key that the trust file does not name, or no longer
│   └── NoteSignatureError        a note that no known key signed
├── LogError                      the transparency log takes no more
│   ├── LogRolledBackError        it is behind its last signed head: a restored backup
│   ├── LogFrozenError            it was closed; another shard goes on
│   └── LogStoppedError           a write failed, so nothing is signed until the next start
├── IntegrityError                our own store contradicts itself
│   ├── BlobDigestMismatchError
│   ├── ContentKeyMissingError    content is encrypted, and its key is not here
│   └── LogDamagedError           leaves, tiles and checkpoints do not belong together
└── VerificationFailed            only from VerificationBlock.require(): a verdict, raised
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """A problem of one field: its JSON pointer, the expected and the actual value."""

    pointer: str
    expected: str
    got: str


class SpanproofError(Exception):
    """Something could not be done: a stable code, expected and got, and one next step.

    ``problems`` holds one entry for each field, or part, that is wrong.
    """

    code: ClassVar[str] = "INTERNAL"
    problems: tuple[FieldProblem, ...] = ()

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


class InputError(SpanproofError):
    """The caller's input is not well formed."""

    code = "MALFORMED_INPUT"


class MalformedDigestError(InputError):
    """Not ``sha256:`` and 64 lower-case hexadecimal digits."""

    code = "MALFORMED_DIGEST"


class MalformedSpanError(InputError):
    """Offsets that are negative, reversed, or in the middle of a character."""

    code = "MALFORMED_SPAN"


class MalformedAnswerError(InputError):
    """An answer that is not JSON or whose fields are missing or mistyped."""

    code = "MALFORMED_ANSWER"

    def __init__(self, message: str, *, hint: str, problems: tuple[FieldProblem, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class AnswerTooDenseError(MalformedAnswerError):
    """An answer that asks for more claims, verdicts or bytes of a block than one request may."""

    code = "ANSWER_TOO_DENSE"

    @classmethod
    def of(cls, pointer: str, what: str, *, most: int, got: int) -> Self:
        """More of ``what`` than ``most``."""
        expected = f"at most {most} {what}"
        problem = FieldProblem(pointer=pointer, expected=expected, got=str(got))
        msg = f"Expected {expected}, got {got} at {pointer}."
        return cls(msg, hint="Send it in parts.", problems=(problem,))


class MalformedManifestError(InputError):
    """A manifest of chunks that cannot be read, or whose fields are missing or mistyped."""

    code = "MALFORMED_MANIFEST"


class ManifestDigestError(MalformedManifestError):
    """A manifest whose rows are not those that its header announces."""

    code = "MANIFEST_DIGEST_MISMATCH"


class UnknownPolicyError(InputError):
    """No policy of that name."""

    code = "UNKNOWN_POLICY"


class UnknownGrammarError(InputError):
    """No grammar of citation tokens of that name."""

    code = "UNKNOWN_GRAMMAR"


class MalformedGrammarError(InputError):
    """A grammar of citation tokens whose pattern, example and writer do not agree."""

    code = "MALFORMED_GRAMMAR"


class MalformedLabelsError(InputError):
    """Labelled pairs that cannot be read, are too few, or lack a class."""

    code = "MALFORMED_LABELS"


class MalformedCasesError(InputError):
    """A file of cases with a malformed line, which the message names by its number."""

    code = "MALFORMED_CASES"


class MalformedRunError(InputError):
    """A run of an evaluation that cannot be read."""

    code = "MALFORMED_RUN"


class MalformedBulkError(InputError):
    """A file of pairs for bulk verification whose columns or rows are not well formed."""

    code = "MALFORMED_BULK"


class MalformedReceiptError(InputError):
    """A receipt that cannot be read, or that holds values which no receipt may hold."""

    code = "MALFORMED_RECEIPT"


class MalformedNoteError(InputError):
    """A signed note, a checkpoint or a log proof that cannot be read."""

    code = "MALFORMED_NOTE"


class MalformedTrustError(InputError):
    """A trust file that cannot be read."""

    code = "MALFORMED_TRUST"


class ExtractionError(SpanproofError):
    """A document whose bytes are refused or cannot be read."""

    code = "DOCUMENT_REFUSED"


class UnsupportedMediaTypeError(ExtractionError):
    """A type of file that no reader here takes."""

    code = "UNSUPPORTED_MEDIA_TYPE"


class EncryptedDocumentError(ExtractionError):
    """A document that needs a password."""

    code = "DOCUMENT_ENCRYPTED"


class EmptyDocumentError(ExtractionError):
    """No bytes, or no pages."""

    code = "DOCUMENT_EMPTY"


class BrokenDocumentError(ExtractionError):
    """Bytes that the reader of their type cannot open."""

    code = "DOCUMENT_BROKEN"


class OcrNotNeededError(ExtractionError):
    """OCR was asked for, and every page has text of its own without lost glyphs."""

    code = "OCR_NOT_NEEDED"


class LimitExceededError(ExtractionError):
    """More bytes, pages, characters, time or memory than the limits allow."""

    code = "LIMIT_EXCEEDED"


class NotFoundError(SpanproofError):
    """There is nothing of that name here."""

    code = "NOT_FOUND"


class DocumentNotFoundError(NotFoundError):
    """No such document."""

    code = "DOCUMENT_NOT_FOUND"


class DocumentErasedError(NotFoundError):
    """A document that was kept here and was erased; a leaf of the log is its tombstone."""

    code = "DOCUMENT_ERASED"


class VerificationErasedError(NotFoundError):
    """A verification whose words were erased; its receipt stays, and a tombstone in the log."""

    code = "VERIFICATION_ERASED"


class WordsNotKeptError(NotFoundError):
    """A verification whose words were never kept; its digests, codes and receipt are."""

    code = "WORDS_NOT_KEPT"


class ExtractionNotFoundError(NotFoundError):
    """No such extraction."""

    code = "EXTRACTION_NOT_FOUND"


class PageNotFoundError(NotFoundError):
    """The document has no such page."""

    code = "PAGE_NOT_FOUND"


class VerificationNotFoundError(NotFoundError):
    """No such verification."""

    code = "VERIFICATION_NOT_FOUND"


class IndexNotFoundError(NotFoundError):
    """No such index, or no such version of it."""

    code = "INDEX_NOT_FOUND"


class WebhookNotFoundError(NotFoundError):
    """No webhook of that id, or it was removed; or no message of that id."""

    code = "WEBHOOK_NOT_FOUND"


class ReceiptNotFoundError(NotFoundError):
    """No receipt of that verification."""

    code = "RECEIPT_NOT_FOUND"


class ConflictError(SpanproofError):
    """An attempt to change a record."""

    code = "CONFLICT"


class SettingsError(SpanproofError):
    """A setting whose value cannot be used."""

    code = "BAD_SETTING"


class ExtraMissingError(SettingsError):
    """A package that the install lacks; the hint names the extra that brings it."""

    code = "EXTRA_MISSING"


class SandboxUnavailableError(SettingsError):
    """The cage is required and this machine cannot build it."""

    code = "SANDBOX_UNAVAILABLE"


class EngineUnavailableError(SettingsError):
    """The PDF engine that the settings choose is not installed."""

    code = "ENGINE_UNAVAILABLE"


class OcrUnavailableError(SettingsError):
    """OCR was asked for and its language data or its engine is not here."""

    code = "OCR_UNAVAILABLE"


class TimestampsUnavailableError(SettingsError):
    """A timestamp was asked for, or has to be checked, without the extra ``timestamps``."""

    code = "TIMESTAMPS_UNAVAILABLE"


class KeyUnavailableError(SettingsError):
    """A signing key that is missing, cannot be read, or that others can read."""

    code = "KEY_UNAVAILABLE"


class OutputError(SpanproofError):
    """The file cannot be written; no half-written file has its name."""

    code = "OUTPUT_FAILED"


class ModelError(SpanproofError):
    """The entailment model cannot be used."""

    code = "MODEL_ERROR"


class ModelUnavailableError(ModelError):
    """The model's folder is missing, incomplete, or fails its canary."""

    code = "MODEL_UNAVAILABLE"


class ModelLabelsError(ModelError):
    """The model's labels cannot be mapped by name to entailed, neutral, contradicted."""

    code = "MODEL_LABELS_UNNAMED"


class CalibrationNotFoundError(ModelError):
    """The calibration that the settings name is not kept here."""

    code = "CALIBRATION_NOT_FOUND"


class EvidenceError(SpanproofError):
    """Evidence that does not prove its claim."""

    code = "EVIDENCE_FAILED"


class KeyNotTrustedError(EvidenceError):
    """A key that the trust file does not name, or not for this moment, log or place in it."""

    code = "KEY_NOT_TRUSTED"


class NoteSignatureError(EvidenceError):
    """A note that no known key signed, or a signature of a known key that does not verify."""

    code = "NOTE_SIGNATURE"


class LogError(SpanproofError):
    """The transparency log takes no more entries."""

    code = "LOG_ERROR"


class LogRolledBackError(LogError):
    """The log is behind what it signed before, or another history: a backup was restored."""

    code = "LOG_ROLLED_BACK"


class LogFrozenError(LogError):
    """The log was closed for ever; another shard continues."""

    code = "LOG_FROZEN"


class LogStoppedError(LogError):
    """A write failed: the disk's content is unknown, so nothing is signed until the next start."""

    code = "LOG_STOPPED"


class IntegrityError(SpanproofError):
    """Our own store contradicts itself; never reported as a citation's failure."""

    code = "STORE_INTEGRITY"


class BlobDigestMismatchError(IntegrityError):
    """Bytes read back whose digest is not the one they were stored under."""

    code = "BLOB_DIGEST_MISMATCH"


class ContentKeyMissingError(IntegrityError):
    """Content is encrypted, and its key is not here: restored without keys, or destroyed."""

    code = "CONTENT_KEY_MISSING"


class LogDamagedError(IntegrityError):
    """Leaves, tiles and checkpoints of a log do not belong together."""

    code = "LOG_DAMAGED"


class VerificationFailed(SpanproofError):  # noqa: N818 - a verdict raised on request, not an error
    """The answer did not pass; raised by ``require()`` only."""

    code = "VERIFICATION_FAILED"
