"""Gemini Interactions: annotations with OpenAI's names, but in UTF-8 bytes with an exclusive end.

Source: the interaction types of google-genai 3.4. ``start_index`` and ``end_index`` count in the
text that has the annotation; no annotation quotes its source, so there is no quote to look for.
Whole interactions (``steps``, older ``outputs``) and the list of a stream's events are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import (
    EitherCaseReader,
    choose_id,
    note_page,
    open_either_case,
)
from spanproof.verifier.formats.providers.payload import (
    cite_segment,
    find_cited,
    note_cut_answer,
    note_cut_stream,
    raise_malformed,
    skip_content,
    skip_null,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope

_CITATIONS = frozenset({"url_citation", "file_citation", "place_citation"})
#: Annotations of speech are not citations.
_OTHERS = frozenset({"speech_metadata", "word_info"})
_DONE = (None, "completed")
#: The text between two outputs of the model, which are paragraphs of one answer.
_BREAK = "\n\n"
_LAST = ("interaction.completed", "interaction.complete")


def read(envelope: Envelope) -> Draft:
    """Read an interaction, or the list of its stream's events."""
    draft = Draft(envelope, origin="gemini-interactions", declared_unit="utf8")
    response = envelope.response
    if isinstance(response, list):
        for text in read_stream(draft, response):
            _break(draft)
            _read_text(draft, text)
        return draft
    interaction = open_either_case(response, "/response")
    if not interaction.has("steps", "outputs"):
        raise_malformed("/response/steps", "the steps of an interaction", None)
    for step in interaction.open_each("steps"):
        if step.text("type") == "model_output":
            _read_contents(draft, step, "content")
    if not interaction.has("steps"):
        _read_contents(draft, interaction, "outputs")
    status = interaction.text("status")
    if status not in _DONE:
        note_cut_answer(draft, interaction.at("status"), status)
    return draft


def _read_contents(draft: Draft, owner: EitherCaseReader, name: str) -> None:
    _break(draft)
    for content in owner.open_each(name):
        kind = content.text("type")
        if kind == "text":
            _read_text(draft, content)
        elif kind != "thought":
            skip_content(draft, content.pointer, kind)


def _break(draft: Draft) -> None:
    if draft.prose:
        draft.write(_BREAK)


def _read_text(draft: Draft, content: EitherCaseReader) -> None:
    text = content.required("text", str, "")
    within = draft.write(text)
    for pointer, item in content.items("annotations"):
        if not skip_null(draft, pointer, item):
            _read_annotation(draft, open_either_case(item, pointer), within)


def _read_annotation(draft: Draft, reader: EitherCaseReader, within: Span) -> None:
    kind = reader.text("type")
    if kind in _OTHERS:
        return
    if kind not in _CITATIONS:
        draft.skip(reader.pointer, f"No annotation of type {kind!r} is known.")
        return
    uri = reader.text("document_uri") or reader.text("url")
    title = reader.text("file_name") or reader.text("title") or reader.text("name")
    ids = (reader.text("source"), reader.text("place_id"), reader.text("media_id"), title)
    segment = None
    if reader.has("end_index"):
        start, end = reader.offsets("start_index", "end_index")
        segment = draft.place(reader.pointer, within, start, end, None)
    note_page(draft, reader.at("page_number"), reader.integer("page_number"))
    chosen = choose_id(draft.envelope, ids)
    cite_segment(
        draft,
        reader.pointer,
        segment,
        named=uri or chosen or reader.pointer,
        document=find_cited(draft, reader.pointer, uri=uri, file_id=chosen),
        quote=None,
        doc_title=title,
        doc_url=uri,
    )


def read_stream(draft: Draft, events: list[Any]) -> list[EitherCaseReader]:
    """Every text of the model's outputs, as an interaction would have it whole.

    Its ``annotations`` keep the pointers of the events that brought them.
    """
    if not events:
        raise_malformed("/response", "the events of a stream", events)
    texts: dict[int, _StreamedText] = {}
    last = None
    for position, value in enumerate(events):
        event = open_either_case(value, f"/response/{position}")
        last = event.text("event_type")
        if last is None:
            raise_malformed(f"{event.pointer}/event_type", "the type of an event", None)
        if last == "error":
            note_cut_answer(draft, event.pointer, event.fields.get("error"))
        index = event.integer("index")
        if index is None:
            continue
        step, delta = event.open("step"), event.open("delta")
        if step is not None and step.text("type") == "model_output":
            texts[index] = _StreamedText(event.pointer)
            for content in step.open_each("content"):
                texts[index].add(content)
        if delta is not None and delta.text("type") in {"text", "text_annotation_delta"}:
            texts.setdefault(index, _StreamedText(event.pointer)).add(delta)
    if last not in _LAST:
        note_cut_stream(draft, _LAST[0])
    return [texts[index] for index in sorted(texts)]


class _StreamedText(EitherCaseReader):
    """A text whose pieces and annotations came in several events."""

    def __init__(self, pointer: str) -> None:
        super().__init__({"text": "", "annotations": []}, pointer, [])
        self._annotations: list[tuple[str, Any]] = []

    def add(self, piece: EitherCaseReader) -> None:
        """Append the text and annotations of one event."""
        self.fields["text"] += piece.optional("text", str) or ""
        self._annotations.extend(piece.items("annotations"))

    def items(self, name: str) -> Iterator[tuple[str, Any]]:
        """The annotations, with the pointers of their events."""
        return iter(self._annotations) if name == "annotations" else super().items(name)
