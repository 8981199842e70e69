"""A verdict as it is signed: the block's fields without words (``redaction``), read strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanproof.core.json_reader import schema
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ChunkStatus,
    CrossCheckStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.receipt.statement.redaction import WORD_PATTERN

if TYPE_CHECKING:
    from spanproof.core.digest import Digest

Json = dict[str, Any]


class SignedClaim(NamedTuple):
    """Where the claim appears in the answer (code points), and digests of its words."""

    start: int
    end: int
    text_sha256: Digest
    hypothesis_sha256: Digest


class SignedIdentity(NamedTuple):
    """The document and the extraction that were resolved."""

    status: IdentityStatus
    doc_hash: Digest | None
    extraction_id: Digest | None
    chunk: ChunkStatus
    newest: Json | None


class SignedExistence(NamedTuple):
    """The place of the found words, and the digest of the canonical text there.

    ``span_sha256`` is None if there is no single place.
    """

    status: ExistenceStatus
    char_start: int | None
    char_end: int | None
    span_sha256: Digest | None
    folds: tuple[str, ...]
    candidates: tuple[Json, ...]
    difference: Json | None

    @property
    def offsets(self) -> tuple[int, int] | None:
        """Start and end in the canonical text, half-open code points."""
        if self.char_start is None or self.char_end is None:
            return None
        return self.char_start, self.char_end


class SignedLocator(NamedTuple):
    """The span's own place on its page, in points; lengths are decimal strings."""

    status: LocatorStatus
    page: int | None
    bbox: tuple[str, ...] | None
    quads: tuple[Json, ...]
    iou: str | None
    witness: Json


class SignedSupport(NamedTuple):
    """What the model said; probabilities and logits are decimal strings.

    Receipts of older procedures have neither ``ordered_coverage`` nor ``unsupported_parts``.
    """

    status: SupportStatus
    reason: str | None
    p_entailment: str | None
    p_neutral: str | None
    p_contradiction: str | None
    windows: int
    coverage: str
    evidence: Json | None
    vetoes: tuple[Json, ...]
    logits: dict[str, str]
    terms: tuple[Json, ...]
    grade: str | None
    subclaims: tuple[Json, ...]
    context: str
    read: Json | None
    joint: Json | None
    ordered_coverage: str | None = None
    unsupported_parts: tuple[Json, ...] = ()


class SignedAttribution(NamedTuple):
    """Where else the claim is supported."""

    status: AttributionStatus
    supported_by: tuple[Json, ...]


class SignedVerdict(NamedTuple):
    """One claim against one citation, as signed; ``citation`` is its index."""

    anchor: int
    citation: int
    claim: SignedClaim
    identity: SignedIdentity
    existence: SignedExistence
    locator: SignedLocator
    support: SignedSupport
    attribution: SignedAttribution
    outcome: Outcome
    codes: tuple[str, ...]
    notes_sha256: Digest
    view_url: str | None
    origin: str
    repaired: bool
    quotations: tuple[Json, ...]


_WORD = schema.matching(WORD_PATTERN.pattern, "a word in lower case")
_CODE = schema.matching(r"[A-Z][A-Z0-9_]{0,63}", "a code")
_SHA256_OR_NULL = schema.nullable(schema.sha256)
_DIGEST_OR_NULL = schema.nullable(schema.digest)
_COUNT_OR_NULL = schema.nullable(schema.count)
_DECIMAL_OR_NULL = schema.nullable(schema.decimal)
_OFFSETS = {"char_start": schema.count, "char_end": schema.count}
_MAYBE_OFFSETS = {"char_start": _COUNT_OR_NULL, "char_end": _COUNT_OR_NULL}
_CANDIDATES = schema.array(
    schema.plain(doc_hash=schema.digest, **_OFFSETS, folds=schema.array(_WORD))
)
_VETOES = schema.array(
    schema.plain(
        kind=_WORD,
        claim_sha256=schema.sha256,
        claim_start=schema.count,
        claim_end=schema.count,
        source_sha256=_SHA256_OR_NULL,
        **_MAYBE_OFFSETS,
    )
)
_LOGITS = schema.table(schema.decimal)
_PROBABILITIES = {
    "p_entailment": _DECIMAL_OR_NULL,
    "p_neutral": _DECIMAL_OR_NULL,
    "p_contradiction": _DECIMAL_OR_NULL,
}
_DIFFERENCE = schema.plain(
    source_sha256=schema.sha256,
    edits=schema.array(
        schema.plain(
            kind=_WORD,
            quote_sha256=schema.sha256,
            source_sha256=schema.sha256,
            **_OFFSETS,
            protected=schema.flag,
            touches=schema.array(
                schema.plain(
                    side=schema.one_of(("quote", "source")),
                    kind=_WORD,
                    text_sha256=schema.sha256,
                )
            ),
        )
    ),
)
_SUBCLAIM = schema.plain(
    text_sha256=schema.sha256,
    start=schema.count,
    end=schema.count,
    hypothesis_sha256=schema.sha256,
    status=schema.one_of(SupportStatus),
    reason=schema.nullable(_WORD),
    **_PROBABILITIES,
    logits=_LOGITS,
    vetoes=_VETOES,
)
_JOINT = schema.plain(
    citations=schema.array(schema.count),
    status=schema.one_of(SupportStatus),
    reason=schema.nullable(_WORD),
    p_entailment=_DECIMAL_OR_NULL,
    alone=schema.plain(status=schema.one_of(SupportStatus), p_entailment=_DECIMAL_OR_NULL),
)
_SUPPORT_FIELDS: dict[str, schema.Read[Any]] = dict(
    status=schema.one_of(SupportStatus),
    reason=schema.nullable(_WORD),
    **_PROBABILITIES,
    windows=schema.count,
    coverage=schema.decimal,
    evidence=schema.nullable(schema.plain(**_OFFSETS)),
    vetoes=_VETOES,
    logits=_LOGITS,
    terms=schema.array(schema.plain(name=_WORD, value=schema.decimal, weight=schema.decimal)),
    grade=schema.nullable(schema.one_of(("full", "partial", "none"))),
    subclaims=schema.array(_SUBCLAIM),
    context=schema.one_of(("bare", "headers", "question")),
    read=schema.nullable(
        schema.plain(premise_sha256=schema.sha256, hypothesis_sha256=schema.sha256)
    ),
    joint=schema.nullable(_JOINT),
)
_OLD_SUPPORT = schema.record(SignedSupport, **_SUPPORT_FIELDS)
_SUPPORT = schema.record(
    SignedSupport,
    **_SUPPORT_FIELDS,
    ordered_coverage=_DECIMAL_OR_NULL,
    unsupported_parts=schema.array(
        schema.plain(claim_sha256=schema.sha256, claim_start=schema.count, claim_end=schema.count)
    ),
)


def _read_support(value: Any) -> SignedSupport:  # noqa: ANN401 - any JSON value
    """Of this procedure, or of an older one."""
    is_old = type(value) is dict and not value.keys() & {"ordered_coverage", "unsupported_parts"}
    return (_OLD_SUPPORT if is_old else _SUPPORT)(value)


_LOCATOR = schema.record(
    SignedLocator,
    status=schema.one_of(LocatorStatus),
    page=_COUNT_OR_NULL,
    bbox=schema.nullable(schema.array(schema.decimal, size=4)),
    quads=schema.array(
        schema.plain(page=schema.count, points=schema.array(schema.decimal, size=8))
    ),
    iou=_DECIMAL_OR_NULL,
    witness=schema.plain(
        status=schema.one_of(CrossCheckStatus),
        engine=schema.nullable(schema.text),
        read_sha256=_SHA256_OR_NULL,
        moved=_DECIMAL_OR_NULL,
        reason=schema.nullable(_WORD),
    ),
)

#: Reads a signed verdict.
VERDICT = schema.record(
    SignedVerdict,
    anchor=schema.integer,
    citation=schema.count,
    claim=schema.record(
        SignedClaim,
        start=schema.count,
        end=schema.count,
        text_sha256=schema.sha256,
        hypothesis_sha256=schema.sha256,
    ),
    identity=schema.record(
        SignedIdentity,
        status=schema.one_of(IdentityStatus),
        doc_hash=_DIGEST_OR_NULL,
        extraction_id=_DIGEST_OR_NULL,
        chunk=schema.one_of(ChunkStatus),
        newest=schema.nullable(
            schema.plain(
                extraction_id=schema.digest,
                status=schema.one_of(ExistenceStatus),
                **_MAYBE_OFFSETS,
            )
        ),
    ),
    existence=schema.record(
        SignedExistence,
        status=schema.one_of(ExistenceStatus),
        **_MAYBE_OFFSETS,
        span_sha256=_SHA256_OR_NULL,
        folds=schema.array(_WORD),
        candidates=_CANDIDATES,
        difference=schema.nullable(_DIFFERENCE),
    ),
    locator=_LOCATOR,
    support=_read_support,
    attribution=schema.record(
        SignedAttribution,
        status=schema.one_of(AttributionStatus),
        supported_by=_CANDIDATES,
    ),
    outcome=schema.one_of(Outcome),
    codes=schema.array(_CODE),
    notes_sha256=schema.sha256,
    view_url=schema.nullable(schema.text),
    origin=schema.text,
    repaired=schema.flag,
    quotations=schema.array(
        schema.plain(
            text_sha256=schema.sha256,
            start=schema.count,
            end=schema.count,
            status=schema.one_of(ExistenceStatus),
            **_MAYBE_OFFSETS,
        )
    ),
)
