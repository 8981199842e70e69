"""A verification block and its inputs → the predicate that a receipt signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.moment import write_signed_moment
from spanproof.receipt.statement.predicate import (
    ACTOR,
    LIMITATIONS,
    NOBODY,
    OFFSET_UNIT,
    REQUEST_FORM,
    SCHEMA_VERSION,
    read_signed,
)
from spanproof.receipt.statement.redaction import hash_text, redact_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from spanproof.core.citation import Answer, Citation
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction, Library, Source
    from spanproof.core.log.checkpoint import LoggedLeaf
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.receipt.statement.predicate import Actor, InputDigests, SignedVerifier

Json = dict[str, Any]
#: The weakest first.
_SANDBOX_LEVELS = ("none", "limits", "landlock", "landlock+seccomp")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """The digest of the payload's bytes, and the other parts of the request.

    ``toggles`` are the settings that can change a verdict and appear nowhere else in the receipt.
    """

    digest: Digest
    format: str
    policy: str | None
    repair: Json | None
    toggles: Mapping[str, str | None]
    #: How the answer was drawn: ``scheme``, ``epoch_commitment``, ``rate``.
    sampled: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueFacts:
    """A receipt's own facts: its names, its moment, its intake, the sender, the judge."""

    receipt_id: str
    verification_id: str
    nonce: bytes
    time_issued: datetime
    intake: LoggedLeaf
    request: RequestFacts
    verifier: SignedVerifier
    actor: Actor = NOBODY
    supersedes: Digest | None = None


def build_predicate(  # noqa: PLR0913 - the block, what it was made from, and the receipt's own
    facts: IssueFacts,
    block: Json,
    *,
    answer: Answer,
    library: Library,
    policy: Policy,
    model: ModelIdentity,
    digests: InputDigests,
    layouts: Mapping[Digest, Digest | None],
) -> Json:
    """The predicate; ``answer`` has the citations that were judged, also those attached to it.

    ``layouts`` has the digest of each extraction's stored layout. Nothing in the predicate is a
    word of the answer or of a document.
    """
    used = find_used(block, library)
    # Once for all: the block is digested whole, and most of it is signed.
    plain = canonical_json.with_decimal_strings(block)
    named = {snippet["doc_hash"] for snippet in block["snippets"]}
    snippets = [
        _document_to_json(source, answer, library, used, layouts)
        for source in library.sources
        if source.is_snippet and str(source.document.doc_hash) in named
    ]
    predicate = {
        "schema_version": SCHEMA_VERSION,
        "receipt_id": facts.receipt_id,
        "verification_id": facts.verification_id,
        "nonce": facts.nonce.hex(),
        "time_issued": write_signed_moment(facts.time_issued),
        "verified_at": block["verified_at"],
        "log": {
            "origin": facts.intake.origin,
            "intake_index": facts.intake.index,
            "intake_leaf_hash": facts.intake.leaf_hash.hex(),
        },
        "actor": actor_to_json(facts.actor),
        "tenant_log": facts.intake.origin,
        "request": _request_to_json(facts.request),
        "verifier": _verifier_to_json(facts.verifier, used),
        "policy": block["policy"] | {"thresholds": thresholds_to_json(policy, model)},
        "model": plain["model"] | {"calibration_check": plain["calibration"]},
        "answer": {
            "sha256": hash_text(answer.prose),
            "code_points": len(answer.prose),
            "kind": answer.answer_kind,
        },
        "documents": [
            _document_to_json(source, answer, library, used, layouts)
            for source in library.sources
            if not source.is_snippet
        ],
        "citations": [_citation_to_json(citation) for citation in answer.citations],
        "verdicts": [
            redact_words(verdict, span_sha256=_hash_span(verdict, used))
            for verdict in plain["verdicts"]
        ],
        "digests": digests_to_json(digests),
        "repaired": [i for i, citation in enumerate(answer.citations) if citation.repaired],
        "verdicts_digest": block["verdicts_digest"],
        "block_digest": str(canonical_json.digest(plain)),
        "summary": _summary_to_json(block),
        "supersedes": None if facts.supersedes is None else str(facts.supersedes),
        "limitations": LIMITATIONS,
    }
    return predicate | {"snippets": snippets} if snippets else predicate


def digest_block(block: Json) -> Digest:
    """SHA-256 of JCS of the whole block, numbers as decimal strings."""
    return canonical_json.digest(canonical_json.with_decimal_strings(block))


def read_actor(value: Any) -> Actor:  # noqa: ANN401 - any JSON value
    """What ``actor_to_json`` wrote; NOBODY if it wrote nothing."""
    return NOBODY if value is None else read_signed(ACTOR, value, what="the actor")


def actor_to_json(actor: Actor) -> Json:
    """Who asked."""
    subject = actor.oidc_sub_hash
    return {"key_id": actor.key_id, "oidc_sub_hash": None if subject is None else str(subject)}


def digests_to_json(digests: InputDigests) -> Json:
    """Each with its ``sha256:``, or null."""
    named = {
        "question": digests.question,
        "retrieved": digests.retrieved,
        "context": digests.context,
        "prompt": digests.prompt,
        "field_registry": digests.field_registry,
        "toggles": digests.toggles,
    }
    return {name: _text(digest) for name, digest in named.items()}


def find_used(block: Json, library: Library) -> dict[str, Extraction]:
    """The extractions that the verdicts name, by their ids as they are written."""
    named = {verdict["identity"]["extraction_id"] for verdict in block["verdicts"]}
    return {
        str(extraction.extraction_id): extraction
        for source in library.sources
        for extraction in source.extractions
        if str(extraction.extraction_id) in named
    }


def _hash_span(verdict: Json, used: Mapping[str, Extraction]) -> str | None:
    start, end = verdict["existence"]["char_start"], verdict["existence"]["char_end"]
    extraction = used.get(verdict["identity"]["extraction_id"])
    if extraction is None or start is None or end is None:
        return None
    return hash_text(extraction.text.text[start:end])


def _request_to_json(request: RequestFacts) -> Json:
    return {
        "digest": str(request.digest),
        "form": REQUEST_FORM,
        "format": request.format,
        "policy": request.policy,
        "repair": request.repair,
        "toggles": dict(request.toggles),
        "offset_unit": OFFSET_UNIT,
        "sampled": None if request.sampled is None else dict(request.sampled),
    }


def _verifier_to_json(verifier: SignedVerifier, used: Mapping[str, Extraction]) -> Json:
    levels = [extraction.sandbox for extraction in used.values()]
    return {
        "id": verifier.id,
        "version": verifier.version,
        "source_commit": verifier.source_commit,
        "lockfile_sha256": verifier.lockfile_sha256 and verifier.lockfile_sha256.hex,
        "image_digest": _text(verifier.image_digest),
        "sandbox_level": min(levels, key=_SANDBOX_LEVELS.index, default=None),
        "platform": verifier.platform,
    }


def thresholds_to_json(policy: Policy, model: ModelIdentity) -> Json:
    """Where support turns under a policy with this model, as decimal strings."""
    edges = policy.support_edges(model)
    thresholds: Json = canonical_json.with_decimal_strings(
        {
            "entail": None if edges.entailed_from is None else float(edges.entailed_from),
            "neutral": float(edges.neutral_to),
            "contradict": float(policy.contradiction_threshold),
            "margin": float(policy.guard_band),
        }
    )
    return thresholds


def _document_to_json(
    source: Source,
    answer: Answer,
    library: Library,
    used: Mapping[str, Extraction],
    layouts: Mapping[Digest, Digest | None],
) -> Json:
    document = source.document
    cited = [citation.doc_id for citation in answer.citations if citation.doc_id is not None]
    names = library.names_of(document.doc_hash)
    texts = [
        {
            "extraction_id": str(extraction.extraction_id),
            "sha256": extraction.text.digest.hex,
            "code_points": len(extraction.text),
            "extraction_pipeline": extraction.pipeline.name,
            "pipeline_config_sha256": extraction.pipeline.digest.hex,
            "layout_sha256": layout.hex
            if (layout := layouts.get(extraction.extraction_id)) is not None
            else None,
            "sandbox_level": extraction.sandbox,
        }
        for extraction in source.extractions
        if str(extraction.extraction_id) in used
    ]
    return {
        "doc_hash": str(document.doc_hash),
        "doc_ids": [name for name in dict.fromkeys(cited) if name in names],
        "byte_length": document.byte_length,
        "media_type": document.media_type,
        "canonical_texts": texts,
    }


def _citation_to_json(citation: Citation) -> Json:
    quote = citation.quote
    return {
        "anchor": citation.anchor,
        "doc_hash": _text(citation.doc_hash),
        # A caller's words until the store has taken them for a name.
        "doc_id_sha256": None if citation.doc_id is None else hash_text(citation.doc_id),
        "extraction_id": _text(citation.extraction_id),
        "text_sha256": None if quote is None else hash_text(quote.text),
        "char_start": None if quote is None else _to_offset(quote.start),
        "char_end": None if quote is None else _to_offset(quote.end),
        "unit": None if quote is None else quote.unit,
        "repaired": citation.repaired,
    }


def _to_offset(given: int | None) -> int | None:
    # No text is so long; the quote counts as one without that offset.
    return None if given is None or given > canonical_json.MOST_INTEGER else given


def _summary_to_json(block: Json) -> Json:
    outcomes = [verdict["outcome"] for verdict in block["verdicts"]]
    imported = block["import"]
    kept = (
        "result",
        "all_spans_present",
        "all_claims_entailed",
        "recommended_action",
        "abstention_reason",
        "codes",
        "sentences",
        "orphan_anchors",
        "unused_citations",
    )
    counts = {word: outcomes.count(word) for word in ("pass", "fail", "review", "error")}
    summary: Json = canonical_json.with_decimal_strings(
        {name: block[name] for name in kept}
        | {
            # The signed form keeps the field's first name.
            "level": block["citation_level"],
            "citation_density": float(block["citation_density"]),
            "declared": {
                "count": block["declared"]["count"],
                "density": float(block["declared"]["density"]),
            },
        }
    )
    return summary | {
        "counts": {"verdicts": len(outcomes)} | counts,
        "uncited_claims": sum(s["check_worthy"] for s in block["uncited_sentences"]),
        "imported": {
            "format": imported["format"],
            "declared_unit": imported["declared_unit"],
            "observed_unit": imported["observed_unit"],
            "ambiguous": imported["ambiguous"],
            "unmapped": len(imported["unmapped"]),
            "codes": [remark["code"] for remark in imported["remarks"]],
        },
    }


def _text(digest: Digest | None) -> str | None:
    return None if digest is None else str(digest)
