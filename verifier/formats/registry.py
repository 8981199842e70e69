"""Every format by its name, and the one door through which an answer of any of them comes in.

The caller names the format; field names never decide it (providers share names and differ in their
meaning). Several names, joined by commas, are read one after another over the same prose: first
the provider that brought it, then the grammars of markers in it.
"""

from __future__ import annotations

import importlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Answer
from spanproof.core.errors import InputError
from spanproof.core.verdicts.verification_block import ImportReport
from spanproof.verifier.formats import native
from spanproof.verifier.formats.envelope import read_envelope
from spanproof.verifier.formats.parsed import AnswerFacts, ParsedAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import Envelope

    Importer = Callable[[Envelope], Draft]
    MarkerReader = Callable[[Draft], None]
    from spanproof.core.citation import Citation, ClaimedLocator, Quote

#: The module under ``spanproof.verifier.formats.providers`` that reads a provider's payload: its
#: ``read(envelope) -> Draft``.
PROVIDERS = {
    "anthropic": "anthropic.messages",
    "bedrock-converse": "amazon.bedrock_converse",
    "bedrock-kb": "amazon.bedrock_kb",
    "openai-responses": "openai.responses",
    "openai-chat": "openai.chat",
    "openai-assistants": "openai.assistants",
    "cohere-v1": "cohere.v1",
    "cohere-v2": "cohere.v2",
    "gemini": "google.gemini",
    "gemini-interactions": "google.gemini_interactions",
    "check-grounding": "google.check_grounding",
    "vertex-answer": "google.vertex_answer",
    "azure-groundedness": "azure_groundedness",
    "langextract": "frameworks.langextract",
    "llamaindex": "frameworks.llamaindex",
    "langchain": "frameworks.langchain",
}
#: The module under ``spanproof.verifier`` that reads markers in prose: its
#: ``read(envelope) -> Draft`` takes a bare text, its ``read_markers(draft)`` adds to another's.
MARKERS = {
    "chunk": "formats.markers.chunk",
    "ref": "formats.markers.ref",
    "field": "fields.importer",
}
#: Every name of a format, as the contract lists them.
NAMES = (native.FORMAT, *PROVIDERS, *MARKERS)
_NAMES = (
    "chunk_id",
    "doc_id",
    "doc_title",
    "doc_url",
    "retrieval_score",
    "retrieval_method",
    "embedding_model",
    "index_version",
    "extraction_pipeline",
    "source_tier",
)


def parse_names(names: str) -> tuple[str, ...]:
    """Formats joined by commas; raise InputError for an unknown one or an order that reads none."""
    parts = tuple(part.strip() for part in names.split(","))
    unknown = [part for part in parts if part not in NAMES]
    if unknown:
        msg = f"Expected a format of {', '.join(NAMES)}, got {unknown[0]!r}."
        raise InputError(msg, hint="Name the provider that wrote the payload.")
    if len(set(parts)) != len(parts) or any(part not in MARKERS for part in parts[1:]):
        msg = f"Expected one format, then marker formats ({', '.join(MARKERS)}), got {names!r}."
        raise InputError(msg, hint="Name the provider first, for example 'anthropic,field'.")
    if parts[0] == native.FORMAT and len(parts) > 1:
        msg = f"Expected the native format by itself, got {names!r}."
        raise InputError(msg, hint="Send the prose as 'response' with the marker formats' names.")
    return parts


def parse_payload(raw: bytes, names: str = native.FORMAT) -> ParsedAnswer:
    """An answer of the named formats; raise MalformedAnswerError if it is malformed."""
    first, *more = parse_names(names)
    if first == native.FORMAT:
        return native.parse_answer(raw)
    envelope = read_envelope(raw)
    draft = _find_importer(first)(envelope)
    for name in more:
        _find_marker_reader(name)(draft)
    return _finish(draft, ",".join((first, *more)))


def read_facts(raw: bytes, names: str = native.FORMAT) -> AnswerFacts:
    """The facts that an answer states about itself; raises as ``parse_payload``, and costs less."""
    if names == native.FORMAT:
        return native.read_facts(raw)
    answer = parse_payload(raw, names).answer
    return AnswerFacts.of({name: getattr(answer, name) for name in AnswerFacts.__slots__})


def _find_importer(name: str) -> Importer:
    path = f"formats.providers.{PROVIDERS[name]}" if name in PROVIDERS else MARKERS[name]
    module = importlib.import_module(f"spanproof.verifier.{path}")
    importer: Importer = module.read
    return importer


def _find_marker_reader(name: str) -> MarkerReader:
    module = importlib.import_module(f"spanproof.verifier.{MARKERS[name]}")
    reader: MarkerReader = module.read_markers
    return reader


def _finish(draft: Draft, name: str) -> ParsedAnswer:
    envelope = draft.envelope
    details = dict(envelope.details)
    if name in PROVIDERS and not draft.citations and not draft.anchors:
        # A model that cites nothing may have been told to write [n] for the n-th text.
        draft.citations += native.cite_retrieved(draft.prose, (), details["retrieved"])
        if draft.citations:
            draft.anchors += native.find_known_anchors(draft.prose, draft.citations)
    details["retrieved"] = (*details["retrieved"], *draft.retrieved)
    answer = Answer(
        prose=draft.prose,
        anchors=tuple(sorted(draft.anchors, key=lambda anchor: (anchor.span, anchor.number))),
        citations=tuple(draft.citations),
        unclaimed=tuple(sorted(draft.unclaimed)),
        documents=tuple(dict.fromkeys(d.reference for d in envelope.documents)),
        **details,
    )
    units = {str(unit) for unit in draft.observed_units}
    return ParsedAnswer(
        answer=answer,
        imported=ImportReport(
            format=name,
            declared_unit=draft.declared_unit or "undocumented",
            observed_unit=units.pop() if len(units) == 1 else "mixed" if units else None,
            ambiguous=draft.ambiguous and not draft.observed_units,
            unmapped=(*envelope.unmapped, *draft.unmapped),
            remarks=tuple(draft.remarks),
        ),
        payload=envelope.fields
        | {
            "answer": answer.prose,
            "citations": [citation_to_json(citation) for citation in answer.citations],
        },
        attachments=tuple(draft.attachments),
    )


def citation_to_json(citation: Citation) -> dict[str, Any]:
    """One citation; ``segment`` and ``origin`` stand beside the native fields; null if absent."""
    segment = citation.segment
    return {
        "anchor": citation.anchor,
        "doc_hash": None if citation.doc_hash is None else str(citation.doc_hash),
        "extraction_id": None if citation.extraction_id is None else str(citation.extraction_id),
        **{name: getattr(citation, name) for name in _NAMES},
        "span": None if citation.quote is None else _quote_to_json(citation.quote),
        "pdf_locator": None if citation.locator is None else _locator_to_json(citation.locator),
        **({} if citation.cell is None else {"cell": asdict(citation.cell)}),
        "segment": None if segment is None else {"start": segment.start, "end": segment.end},
        "origin": citation.origin,
        "repaired": citation.repaired,
    }


def _quote_to_json(quote: Quote) -> dict[str, Any]:
    return {
        "text": quote.text,
        "char_start": quote.start,
        "char_end": quote.end,
        "unit": quote.unit or "undocumented",
    }


def _locator_to_json(locator: ClaimedLocator) -> dict[str, Any]:
    return {
        "page": locator.page,
        "last_page": locator.last_page,
        "bbox": None if locator.bbox is None else locator.bbox.to_list(),
    }
