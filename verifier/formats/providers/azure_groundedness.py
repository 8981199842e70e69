"""Azure groundedness detection: the parts of a text that no source supports.

Source: the pages of ``text:detectGroundedness`` (2024-09-15-preview). It has no citations: the
answer is the request's ``text`` alone, and so never a pass by itself. Remarks list the parts that
it calls ungrounded. Offsets come in all three units; they must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Retrieval
from spanproof.core.span import OFFSET_UNITS, Span, to_codepoint
from spanproof.core.verdicts.verification_block import UNGROUNDED
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import open_request_and_response
from spanproof.verifier.formats.providers.payload import raise_malformed

if TYPE_CHECKING:
    from spanproof.verifier.formats.envelope import Envelope
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

#: Of our units, the names in the payload.
_NAMES = {"codepoint": "codePoint", "utf16": "utf16", "utf8": "utf8"}
#: The page writes the one, the SDK the other.
_CORRECTIONS = ("correctedText", "correction Text")


def read(envelope: Envelope) -> Draft:
    """Read ``{"request": …, "response": …}``, or a response with the request's ``text`` beside."""
    draft = Draft(envelope, origin="azure-groundedness", declared_unit="codepoint")
    request, response = open_request_and_response(envelope)
    text = request.text("text")
    if text is None:
        raise_malformed(request.at("text"), "the text that was checked", None)
    if not isinstance(response.fields.get("ungroundedDetected"), bool):
        got = response.fields.get("ungroundedDetected")
        raise_malformed(response.at("ungroundedDetected"), "true or false", got)
    draft.write(text)
    _keep_sources(draft, request)
    details = list(response.open_each("ungroundedDetails"))
    for detail in details:
        _read_detail(draft, detail, text)
    if response.fields["ungroundedDetected"] and not details:
        told = "Some of the text is ungrounded; the service was not asked where (reasoning)."
        draft.remark(response.at("ungroundedDetected"), UNGROUNDED, told)
    for name in _CORRECTIONS:
        if response.fields.get(name):
            told = "The provider proposes other words; they are not those that were checked here."
            draft.remark(f"{response.pointer}/{name}", "CORRECTION_GIVEN", told)
    return draft


def _read_detail(draft: Draft, detail: EitherCaseReader, text: str) -> None:
    span = _find_span(draft, detail, text)
    place = f"characters {span.start} to {span.end}" if span else "at no known place"
    named = detail.text("text") or ""
    reason = detail.text("reason")
    because = f" Its reason: {reason}" if reason else ""
    draft.remark(detail.pointer, UNGROUNDED, f"No source bears {named!r} ({place}).{because}")
    if span is not None and named and text[span.start : span.end] != named:
        found = text[span.start : span.end]
        draft.remark(detail.pointer, "SEGMENT_MISMATCH", f"The offsets name {found!r}.")


def _find_span(draft: Draft, detail: EitherCaseReader, text: str) -> Span | None:
    """The stretch that all given units name; None if they do not, or none is given."""
    offset, length = detail.open("offset"), detail.open("length")
    if offset is None or length is None:
        return None
    spans: dict[str, Span | None] = {}
    for unit in OFFSET_UNITS:
        start, run = offset.integer(_NAMES[unit]), length.integer(_NAMES[unit])
        if start is None or run is None:
            continue
        first, last = to_codepoint(text, start, unit), to_codepoint(text, start + run, unit)
        known = first is not None and last is not None and first <= last
        spans[unit] = Span(first, last) if known else None  # type: ignore[arg-type]
    found = set(spans.values())
    if len(found) == 1 and None not in found:
        return found.pop()
    if found == {None}:
        draft.remark(detail.pointer, "SEGMENT_OUT_OF_RANGE", "The offsets lie beyond the text.")
    elif found:
        told = ", ".join(f"{unit}: {_show(span)}" for unit, span in spans.items())
        draft.remark(detail.pointer, "OFFSET_UNITS_DISAGREE", f"The units name {told}.")
    return None


def _show(span: Span | None) -> str:
    return "no place" if span is None else f"characters {span.start} to {span.end}"


def _keep_sources(draft: Draft, request: EitherCaseReader) -> None:
    for position, (pointer, source) in enumerate(request.items("groundingSources")):
        if not isinstance(source, str):
            raise_malformed(pointer, "a grounding source", source)
        document = draft.envelope.find_document(index=position)
        draft.retrieved.append(
            Retrieval(
                chunk_id=f"groundingSources/{position}",
                doc_id=document.doc_id if document else None,
                doc_hash=document.doc_hash if document else None,
                text=source,
                rank=position + 1,
            )
        )
