"""The stream of a Gemini interaction: events put together to texts with their annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.providers.either_case import GoogleReader, open_google
from spanproof.verifier.formats.providers.payload import note_cut_answer, note_cut_stream, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.formats.draft import Draft

_LAST = ("interaction.completed", "interaction.complete")


def read_stream(draft: Draft, events: list[Any]) -> list[GoogleReader]:
    """Every text of the model's outputs, as an interaction would have it whole.

    Its ``annotations`` keep the pointers of the events that brought them.
    """
    if not events:
        refuse("/response", "the events of a stream", events)
    texts: dict[int, _StreamedText] = {}
    last = None
    for position, value in enumerate(events):
        event = open_google(value, f"/response/{position}")
        last = event.text("event_type")
        if last is None:
            refuse(f"{event.pointer}/event_type", "the type of an event", None)
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


class _StreamedText(GoogleReader):
    """A text whose pieces and annotations came in several events."""

    def __init__(self, pointer: str) -> None:
        super().__init__({"text": "", "annotations": []}, pointer, [])
        self._annotations: list[tuple[str, Any]] = []

    def add(self, piece: GoogleReader) -> None:
        """Append what one event brought."""
        self.fields["text"] += piece.optional("text", str) or ""
        self._annotations.extend(piece.items("annotations"))

    def items(self, name: str) -> Iterator[tuple[str, Any]]:
        """The annotations, with the pointers of their events."""
        return iter(self._annotations) if name == "annotations" else super().items(name)
