"""What a receipt signs of a verification: the predicate's fields, and their strict reader.

Source: the names are those of the verification block (docs/reference/block.md);
docs/reference/receipts.md explains each. A field more or less is another schema version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader import schema
from spanproof.core.verdicts.calibration import CalibrationStatus
from spanproof.core.verdicts.status import Outcome
from spanproof.receipt.statement import receipt_id as identity
from spanproof.receipt.statement.signed_verdict import VERDICT

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.signed_verdict import SignedVerdict

T = TypeVar("T")
Json = dict[str, Any]
SCHEMA_VERSION = 1
PREDICATE_TYPE = "urn:spanproof:attestation:span-verification:v1"
#: Offsets count code points, from 0, half-open.
OFFSET_UNIT = "unicode_code_point"
#: What the request's digest is of: the body as it came, byte for byte.
REQUEST_FORM = "raw_bytes"
#: Where it is told what a receipt does not prove.
LIMITATIONS = "urn:spanproof:limitations:v1"


def read_signed(reader: schema.Read[T], value: object, *, what: str) -> T:
    """A part of a signed statement, typed; raise MalformedReceiptError for any other value."""
    hint = "Give what was issued, byte for byte; a newer schema needs a newer verifier."
    return schema.read(reader, value, what=what, error=MalformedReceiptError, hint=hint)


class IntakeReference(NamedTuple):
    """The leaf that was logged before the model was asked."""

    origin: str
    intake_index: int
    intake_leaf_hash: bytes


class Actor(NamedTuple):
    """Who asked: the id of a key, or the digest of an OpenID subject; neither without accounts."""

    key_id: str | None = None
    oidc_sub_hash: Digest | None = None


#: Without accounts no one is named.
NOBODY = Actor()


class SignedRequest(NamedTuple):
    """The payload's digest, the wishes that came beside it, and the settings that matter to it."""

    digest: Digest
    form: str
    format: str
    policy: str | None
    repair: Json | None
    toggles: dict[str, str | None]
    offset_unit: str
    sampled: Json | None


class SignedVerifier(NamedTuple):
    """The code that judged. ``sandbox_level`` is the weakest among the texts that were used."""

    id: str
    version: str
    source_commit: str | None
    lockfile_sha256: Digest | None
    image_digest: Digest | None
    sandbox_level: str | None
    platform: str


class SignedPolicy(NamedTuple):
    """The policy; ``thresholds`` are probabilities, as decimal strings (null: none)."""

    name: str
    version: int
    digest: Digest
    thresholds: dict[str, str | None]


class SignedModel(NamedTuple):
    """The model as in the block, and the calibration that was asked for."""

    name: str
    weights_sha256: Digest | None
    runtime: str
    calibration: str
    threshold: str | None
    thresholds: dict[str, str | None]
    labels: tuple[str, ...]
    replayable: bool
    calibration_check: Json


class SignedText(NamedTuple):
    """A canonical text; ``layout_sha256`` is of the stored form of its glyphs' places."""

    extraction_id: Digest
    sha256: Digest
    code_points: int
    extraction_pipeline: str
    pipeline_config_sha256: Digest
    layout_sha256: Digest | None
    sandbox_level: str


class SignedDocument(NamedTuple):
    """A supplied document, the names by which the answer cites it, and the texts that were used."""

    doc_hash: Digest
    doc_ids: tuple[str, ...]
    byte_length: int
    media_type: str
    canonical_texts: tuple[SignedText, ...]


class SignedCitation(NamedTuple):
    """A citation as it was given: its quote's digest and offsets, in the unit that was declared."""

    anchor: int
    doc_hash: Digest | None
    doc_id_sha256: Digest | None
    extraction_id: Digest | None
    text_sha256: Digest | None
    char_start: int | None
    char_end: int | None
    unit: str | None
    repaired: bool


class SignedAnswer(NamedTuple):
    """The prose, by its digest (UTF-8) and length in code points."""

    sha256: Digest
    code_points: int
    kind: str


class InputDigests(NamedTuple):
    """Digests of what came with the answer, or null (docs/reference/receipts.md)."""

    question: Digest | None
    retrieved: Digest | None
    context: Digest | None
    prompt: Digest | None
    field_registry: Digest | None
    toggles: Digest | None


class SignedSummary(NamedTuple):
    """What the whole answer came to; densities are decimal strings."""

    result: Outcome
    level: str
    all_spans_present: bool
    all_claims_entailed: bool
    recommended_action: str
    abstention_reason: str | None
    codes: tuple[str, ...]
    counts: dict[str, int]
    sentences: int
    uncited_claims: int
    citation_density: str
    declared: Json
    orphan_anchors: tuple[Json, ...]
    unused_citations: tuple[int, ...]
    imported: Json


class Predicate(NamedTuple):
    """Everything that a receipt says. ``repaired`` are indexes of citations that we attached.

    ``verdicts_digest`` is the block's own, ``block_digest`` SHA-256 of JCS of the whole block with
    numbers as decimal strings: neither can be computed from the receipt, for they cover the words;
    both can be from the answer that was given with it.
    """

    schema_version: int
    receipt_id: str
    verification_id: str
    nonce: bytes
    time_issued: datetime
    verified_at: str
    log: IntakeReference
    actor: Actor
    tenant_log: str
    request: SignedRequest
    verifier: SignedVerifier
    policy: SignedPolicy
    model: SignedModel
    answer: SignedAnswer
    documents: tuple[SignedDocument, ...]
    citations: tuple[SignedCitation, ...]
    verdicts: tuple[SignedVerdict, ...]
    digests: InputDigests
    repaired: tuple[int, ...]
    verdicts_digest: Digest
    block_digest: Digest
    summary: SignedSummary
    supersedes: Digest | None
    limitations: str
    #: Texts that came with the request, in the shape of documents; no document stands behind them.
    snippets: tuple[SignedDocument, ...] = ()


_NAME_OR_NULL = schema.nullable(schema.text)
_DIGEST_OR_NULL = schema.nullable(schema.digest)
_SHA256_OR_NULL = schema.nullable(schema.sha256)
_DECIMAL_OR_NULL = schema.nullable(schema.decimal)
_COUNT_OR_NULL = schema.nullable(schema.count)
_WORD_OR_NULL = schema.nullable(schema.matching(r"[a-z][a-z0-9_]{0,63}", "a word in lower case"))
_CODES = schema.array(schema.matching(r"[A-Z][A-Z0-9_]{0,63}", "a code"))
_SANDBOX = schema.one_of(("none", "limits", "landlock", "landlock+seccomp"))
_BOUND = schema.plain(
    alpha=schema.decimal,
    delta=schema.decimal,
    n=schema.count,
    threshold=_DECIMAL_OR_NULL,
    selected=schema.count,
    errors=schema.count,
    upper=_DECIMAL_OR_NULL,
    method=schema.text,
)
ORIGIN = schema.matching(
    r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*",
    "a host name",
)
RECEIPT_ID = schema.matching(identity.PATTERN, "a UUID of version 7")
VERIFICATION_ID = schema.matching(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "a UUID"
)
ACTOR = schema.record(Actor, key_id=_NAME_OR_NULL, oidc_sub_hash=_DIGEST_OR_NULL)

_DOCUMENTS = schema.array(
    schema.record(
        SignedDocument,
        doc_hash=schema.digest,
        doc_ids=schema.array(schema.text),
        byte_length=schema.count,
        media_type=schema.text,
        canonical_texts=schema.array(
            schema.record(
                SignedText,
                extraction_id=schema.digest,
                sha256=schema.sha256,
                code_points=schema.count,
                extraction_pipeline=schema.text,
                pipeline_config_sha256=schema.sha256,
                layout_sha256=_SHA256_OR_NULL,
                sandbox_level=_SANDBOX,
            )
        ),
    )
)
#: Reads a predicate; what its parts must have to do with each other is in
#: spanproof.receipt.statement.agreement. ``snippets`` may be missing.
PREDICATE = schema.record(
    Predicate,
    "snippets",
    schema_version=schema.constant(SCHEMA_VERSION),
    receipt_id=RECEIPT_ID,
    verification_id=VERIFICATION_ID,
    nonce=schema.hexadecimal(identity.NONCE_BYTES),
    time_issued=schema.moment,
    verified_at=schema.matching(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "a moment in whole seconds"),
    log=schema.record(
        IntakeReference,
        origin=ORIGIN,
        intake_index=schema.count,
        intake_leaf_hash=schema.hexadecimal(32),
    ),
    actor=ACTOR,
    tenant_log=ORIGIN,
    request=schema.record(
        SignedRequest,
        digest=schema.digest,
        form=schema.constant(REQUEST_FORM),
        format=schema.text,
        policy=_NAME_OR_NULL,
        repair=schema.nullable(schema.plain(sentences=schema.flag, max_repairs=schema.count)),
        toggles=schema.table(_NAME_OR_NULL),
        offset_unit=schema.constant(OFFSET_UNIT),
        sampled=schema.nullable(
            schema.plain(scheme=schema.text, epoch_commitment=schema.digest, rate=schema.decimal)
        ),
    ),
    verifier=schema.record(
        SignedVerifier,
        id=schema.text,
        version=schema.text,
        source_commit=schema.nullable(
            schema.matching(r"[0-9a-f]{40}|[0-9a-f]{64}", "a whole commit id")
        ),
        lockfile_sha256=_SHA256_OR_NULL,
        image_digest=_DIGEST_OR_NULL,
        sandbox_level=schema.nullable(_SANDBOX),
        platform=schema.text,
    ),
    policy=schema.record(
        SignedPolicy,
        name=schema.text,
        version=schema.count,
        digest=schema.digest,
        thresholds=schema.plain(
            entail=_DECIMAL_OR_NULL,
            neutral=schema.decimal,
            contradict=schema.decimal,
            margin=schema.decimal,
        ),
    ),
    model=schema.record(
        SignedModel,
        name=schema.text,
        weights_sha256=_SHA256_OR_NULL,
        runtime=schema.text,
        calibration=schema.text,
        threshold=_DECIMAL_OR_NULL,
        thresholds=schema.table(_DECIMAL_OR_NULL),
        labels=schema.array(schema.text),
        replayable=schema.flag,
        calibration_check=schema.plain(
            status=schema.one_of(CalibrationStatus),
            name=_NAME_OR_NULL,
            digest=_DIGEST_OR_NULL,
            n=_COUNT_OR_NULL,
            date=schema.nullable(schema.matching(r"\d{4}-\d\d-\d\d", "a date")),
            bound=schema.nullable(_BOUND),
        ),
    ),
    answer=schema.record(
        SignedAnswer,
        sha256=schema.sha256,
        code_points=schema.count,
        kind=schema.one_of(("answer", "clarifying_question", "abstention", "refusal")),
    ),
    documents=_DOCUMENTS,
    citations=schema.array(
        schema.record(
            SignedCitation,
            anchor=schema.integer,
            doc_hash=_DIGEST_OR_NULL,
            doc_id_sha256=_SHA256_OR_NULL,
            extraction_id=_DIGEST_OR_NULL,
            text_sha256=_SHA256_OR_NULL,
            char_start=_COUNT_OR_NULL,
            char_end=_COUNT_OR_NULL,
            unit=schema.nullable(schema.one_of(("codepoint", "utf16", "utf8"))),
            repaired=schema.flag,
        )
    ),
    verdicts=schema.array(VERDICT),
    digests=schema.record(
        InputDigests,
        question=_DIGEST_OR_NULL,
        retrieved=_DIGEST_OR_NULL,
        context=_DIGEST_OR_NULL,
        prompt=_DIGEST_OR_NULL,
        field_registry=_DIGEST_OR_NULL,
        toggles=_DIGEST_OR_NULL,
    ),
    repaired=schema.array(schema.count),
    verdicts_digest=schema.digest,
    block_digest=schema.digest,
    summary=schema.record(
        SignedSummary,
        result=schema.one_of(Outcome),
        level=schema.one_of(("GREEN", "YELLOW", "RED")),
        all_spans_present=schema.flag,
        all_claims_entailed=schema.flag,
        recommended_action=schema.one_of(("show", "badge", "review", "withhold")),
        abstention_reason=_WORD_OR_NULL,
        codes=_CODES,
        counts=schema.plain(
            verdicts=schema.count, **{outcome.value: schema.count for outcome in Outcome}
        ),
        sentences=schema.count,
        uncited_claims=schema.count,
        citation_density=schema.decimal,
        declared=schema.plain(count=schema.count, density=schema.decimal),
        orphan_anchors=schema.array(
            schema.plain(anchor=schema.integer, start=schema.count, end=schema.count)
        ),
        unused_citations=schema.array(schema.integer),
        imported=schema.plain(
            format=schema.text,
            declared_unit=schema.text,
            observed_unit=_NAME_OR_NULL,
            ambiguous=schema.flag,
            unmapped=schema.count,
            codes=_CODES,
        ),
    ),
    supersedes=_DIGEST_OR_NULL,
    limitations=schema.constant(LIMITATIONS),
    snippets=_DOCUMENTS,
)
