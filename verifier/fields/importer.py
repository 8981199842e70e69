"""``[[PREFIX:field]]`` markers: each cites a line of the turn's context, which becomes a document.

``context`` and ``registry`` stand in the envelope, as ``spanproof fields`` takes them; ``response``
is the prose, or an object whose ``text`` is. The snapshot of the visible context (one line
``section.field: value`` a field) is attached, and each marker's quote is its field's line. A marker
that names no field of it is an anchor without a citation, with a remark that says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Anchor, Quote
from spanproof.core.json_reader.object_reader import ObjectReader
from spanproof.verifier.fields.context import snapshot_context, visible_context
from spanproof.verifier.fields.guardrails import ASSISTANT, measure_density
from spanproof.verifier.fields.markers import GRAMMAR, find_markers
from spanproof.verifier.fields.markers import read_markers as hold_markers
from spanproof.verifier.fields.turn import read_sources
from spanproof.verifier.formats.cleaning import strip_tokens
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.envelope import SuppliedDocument, malformed
from spanproof.verifier.formats.native_parts import describe_problems
from spanproof.verifier.formats.parsed import Attachment

if TYPE_CHECKING:
    from spanproof.core.errors import FieldProblem
    from spanproof.verifier.fields.context import Context
    from spanproof.verifier.fields.registry import FieldRegistry
    from spanproof.verifier.formats.envelope import Envelope

TITLE = "Context of the turn"
_RESPONSE = "/response"
_DETAILS = {
    "UNKNOWN_PREFIX": "No section of that prefix in the registry.",
    "UNKNOWN_FIELD": "No such field in the context of this turn.",
    "HIDDEN_SECTION": "The section was hidden from the prompt.",
    "FIELD_AMBIGUOUS": "Several fields of the section have that name.",
    "FIELD_EMPTY": "The field has no value.",
}


def read(envelope: Envelope) -> Draft:
    """A bare text with markers; raise MalformedAnswerError if it or its context is malformed."""
    draft = Draft(envelope, origin=GRAMMAR, declared_unit="codepoint")
    response = envelope.response
    if isinstance(response, dict):
        if not isinstance(response.get("text"), str):
            raise malformed(f"{_RESPONSE}/text", "a string", response.get("text"))
        for name in sorted(set(response) - {"text"}):
            draft.skip(f"{_RESPONSE}/{name}", "Not a part of the prose.", code="FIELD_UNREAD")
        draft.write(response["text"])
    elif isinstance(response, str):
        draft.write(response)
    else:
        raise malformed(_RESPONSE, "a string, or an object with 'text'", response)
    read_markers(draft)
    return draft


def read_markers(draft: Draft) -> None:
    """Add a citation for each field that the draft's prose marks, on each of its markers."""
    context, registry, role = _read_sources(draft.envelope)
    if role != ASSISTANT:
        draft.remark(
            "/role", "ROLE_NOT_ASSISTANT", f"Markers of the role {role!r} are not citations."
        )
        return
    prose = draft.prose
    tokens = find_markers(prose)
    if not tokens:
        return
    visible = visible_context(context, registry.policy)
    markers = hold_markers(tokens, context, visible, registry)
    snapshot = snapshot_context(visible)
    number = max([c.anchor for c in draft.citations] + [a.number for a in draft.anchors], default=0)
    attachment = Attachment(data=snapshot.text.encode(), media_type="text/plain", title=TITLE)
    document = SuppliedDocument(doc_hash=attachment.doc_hash, title=TITLE)
    origin, draft.origin = draft.origin, GRAMMAR
    for field, spans in markers.kept:
        line = snapshot.find_line(field)
        if line is None:
            # A group that holds no field.
            for span in spans:
                number += 1
                draft.anchors.append(Anchor(number=number, span=span))
                draft.remark(_RESPONSE, "FIELD_EMPTY", f"{field.path}: {_DETAILS['FIELD_EMPTY']}")
            continue
        number += 1
        if attachment not in draft.attachments:
            draft.attachments.append(attachment)
        draft.cite(
            document=document,
            named=field.path,
            quote=Quote(text=snapshot.text[line.start : line.end], start=line.start, end=line.end),
            number=number,
            doc_title=TITLE,
        )
        # Every place that bears the marker is a claim of the one citation.
        draft.anchors += [Anchor(number=number, span=span) for span in spans]
    draft.origin = origin
    for dropped in markers.dropped:
        number += 1
        draft.anchors.append(Anchor(number=number, span=dropped.span))
        detail = f"[[{dropped.prefix}:{dropped.name}]] at {dropped.span.start}: "
        draft.remark(_RESPONSE, dropped.code, detail + _DETAILS[dropped.code])
    density = measure_density(markers.total, strip_tokens(prose, tokens).text)
    if density.is_over_cited:
        detail = f"{density.markers} markers in {density.tokens} tokens."
        draft.remark(_RESPONSE, "OVER_CITED", detail)


def _read_sources(envelope: Envelope) -> tuple[Context, FieldRegistry, str]:
    problems: list[FieldProblem] = []
    reader = ObjectReader(envelope.fields, "", problems)
    if envelope.fields.get("context") is None:
        reader.report("context", "an object of sections", None)
    role = reader.optional("role", str) or ASSISTANT
    context, registry = read_sources(reader)
    if problems:
        raise describe_problems(problems, hint="Compare them with docs/how-to/fields.md.")
    return context, registry, role
