"""An answer without citations, and what its tools gave back → references to spans of sources.

What tools gave back is ingested as documents, so that every reference leads to kept bytes.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.core.errors import ExtractionError
from spanproof.operations.verification.budget import bounded_work
from spanproof.operations.verification.extent import read_extent
from spanproof.operations.verification.judging import (
    ingest_attachment,
    list_documents,
    load_named_policy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.citation import Answer
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.verifier.attribute.attribute import Posthoc
    from spanproof.verifier.attribute.payload import AttributionInput
    from spanproof.verifier.attribute.references import AttributionReport
    from spanproof.verifier.attribute.sources import FoundText, ToolResult, Unextracted
    from spanproof.verifier.attribute.supply import Supply

    FoundPair = tuple[ToolResult, FoundText]


def attribute_payload(  # noqa: PLR0913 - what a caller may choose
    context: Context,
    raw: bytes,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    posthoc: Posthoc = "always",
    on_checkpoint: Callable[[], None] | None = None,
) -> AttributionReport:
    """Attribute one answer; raise MalformedAnswerError, or ModelError where there is no model.

    Raises AnswerTooDenseError, before anything is ingested, for one that asks for too much.

    Where it is skipped, nothing is ingested and no model is asked. Sentences that are left when the
    CPU time of a request is spent stay unattributed, with the reason ``budget``. Raises
    RequestTooCostlyError where the time did not reach for the sources. ``on_checkpoint`` is that of
    a VerificationRequest.
    """
    with bounded_work(context.settings, on_checkpoint):
        return _attribute(context, raw, format, policy, posthoc)


def _attribute(
    context: Context,
    raw: bytes,
    format: str,  # noqa: A002 - the contract's word
    policy: str | None,
    posthoc: Posthoc,
) -> AttributionReport:
    from spanproof.verifier.attribute.attribute import attribute, find_skip, skip
    from spanproof.verifier.attribute.extent import require_attribution_extent
    from spanproof.verifier.attribute.payload import parse_attribution
    from spanproof.verifier.attribute.registry import load_registry

    given = parse_attribution(raw, format)
    answer = given.answer
    chosen = load_named_policy(policy or answer.policy or context.settings.policy)
    registry = load_registry(context.settings.tool_extractors)
    found, unextracted = registry.extract(given.tool_results)
    extent = read_extent(context.settings)
    require_attribution_extent(given, extent, texts=len(found), size=len(raw))
    skipped = find_skip(answer, posthoc)
    if skipped is not None:
        return replace(skip(answer, skipped, chosen), unextracted=unextracted)
    kept, refused = _ingest(context, found)
    supply = _supply(context, given, kept)
    if supply.regions:
        model = context.require_model()
        report = attribute(answer, supply.regions, model, chosen, posthoc=posthoc)
        report = replace(report, sources=tuple(supply.sources))
    else:
        report = skip(answer, "no_sources", chosen)
    return replace(
        report,
        unextracted=(*unextracted, *refused),
        unresolved=tuple(dict.fromkeys(supply.unresolved)),
    )


def _ingest(
    context: Context, found: Sequence[FoundPair]
) -> tuple[list[FoundPair], list[Unextracted]]:
    kept: list[FoundPair] = []
    refused: list[Unextracted] = []
    for result, text in found:
        checkpoint()
        try:
            ingest_attachment(context, text.attachment)
        except ExtractionError as error:
            # One text that cannot be read never stops the others; it stands in the report.
            refused.append(result.unextracted(error.code))
        else:
            kept.append((result, text))
    return kept, refused


def _supply(context: Context, given: AttributionInput, kept: Sequence[FoundPair]) -> Supply:
    from spanproof.verifier.attribute.supply import Supply

    answer = given.answer
    for attachment in given.attachments:
        checkpoint()
        ingest_attachment(context, attachment)
    hashes, names = list_documents(answer)
    hashes += [text.attachment.doc_hash for _, text in kept]
    hashes += [attachment.doc_hash for attachment in given.attachments]
    hashes += _keep_unknown(context, answer)
    supply = Supply(library=context.store.documents.load_library(hashes, names))
    for result, text in kept:
        supply.add_text(result, text)
    references = [*answer.documents, *(str(each.doc_hash) for each in given.attachments)]
    for reference in dict.fromkeys(references):
        supply.add_document(reference, answer.generated_at)
    for chunk in answer.retrieved:
        supply.add_chunk(chunk, answer.generated_at)
    return supply


def _keep_unknown(context: Context, answer: Answer) -> list[Digest]:
    """Keep the texts of chunks whose documents are not here; their hashes."""
    from spanproof.verifier.attribute.supply import find_document, find_place, to_attachment

    library = context.store.documents.load_library(*list_documents(answer))
    kept: list[Digest] = []
    for chunk in answer.retrieved:
        checkpoint()
        doc_hash = find_document(chunk, library, answer.generated_at)
        held = None if doc_hash is None else library.find(doc_hash)
        extraction = None if held is None else held.find_extraction(None)
        attachment = to_attachment(chunk)
        if attachment is None or (extraction and find_place(chunk, extraction)):
            continue
        with suppress(ExtractionError):  # A chunk that cannot be read stays unresolved.
            ingest_attachment(context, attachment)
            kept.append(attachment.doc_hash)
    return kept
