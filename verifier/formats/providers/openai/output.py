"""OpenAI's Response, whole or as the events of its stream, as the texts that it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.providers.payload import (
    check,
    note_cut_answer,
    note_cut_stream,
    open_field,
    open_object,
    raise_malformed,
    read_items,
    read_string,
    read_word,
    skip_content,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.draft import Draft

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
#: Items without text of the answer, besides everything that is named a call.
_SILENT = frozenset(
    {"reasoning", "mcp_list_tools", "compaction", "additional_tools", "tool_search_output"}
    | {"program", "program_output"}
)


@dataclass(slots=True, kw_only=True)
class OutputText:
    """One text that a reader sees, with its annotations, each with its pointer."""

    pointer: str
    text: str = ""
    annotations: list[tuple[str, Any]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Output:
    """The texts in order, each with its place, and the calls of the file search."""

    places: dict[tuple[int, int], OutputText] = field(default_factory=dict)
    searches: list[ObjectReader] = field(default_factory=list)

    @property
    def texts(self) -> list[OutputText]:
        """The texts in the order of the output."""
        return [self.places[place] for place in sorted(self.places)]


def read_output(draft: Draft, response: object) -> Output:
    """The output of a Response, or of the events of its stream."""
    if isinstance(response, list):
        return _read_events(draft, response)
    return _read_response(draft, open_object(response, "/response"))


def _read_response(draft: Draft, reader: ObjectReader) -> Output:
    if reader.fields.get("output") is None:
        raise_malformed(f"{reader.pointer}/output", "an array of output items", None)
    status = read_word(reader, "status")
    if status not in {None, "completed"}:
        note_cut_answer(draft, f"{reader.pointer}/status", status)
    output = Output()
    for position, (pointer, item) in enumerate(read_items(reader, "output")):
        _read_item(draft, output, position, open_object(item, pointer))
    return output


def _read_item(draft: Draft, output: Output, position: int, item: ObjectReader) -> None:
    kind = read_string(item, "type")
    if kind == "file_search_call":
        output.searches.append(item)
    elif kind == "message":
        for index, (pointer, value) in enumerate(read_items(item, "content")):
            text = _read_content(draft, open_object(value, pointer))
            if text is not None:
                output.places[position, index] = text
    elif kind not in _SILENT and "_call" not in kind and "_approval_" not in kind:
        skip_content(draft, item.pointer, kind)


def _read_content(draft: Draft, content: ObjectReader) -> OutputText | None:
    kind = read_string(content, "type")
    if kind == "output_text":
        text = OutputText(pointer=content.pointer, text=read_string(content, "text"))
        text.annotations.extend(read_items(content, "annotations"))
        return text
    if kind == "refusal":
        draft.remark(content.pointer, "ANSWER_REFUSED", "The text is the model's refusal.")
        return OutputText(pointer=content.pointer, text=read_string(content, "refusal"))
    skip_content(draft, content.pointer, kind)
    return None


def _read_events(draft: Draft, events: list[Any]) -> Output:
    """The response of the last event, compared with the events before it."""
    streamed, final = Output(), None
    for position, event in enumerate(events):
        reader = open_object(event, f"/response/{position}")
        kind = read_string(reader, "type")
        if kind in _LAST:
            final = open_field(reader, "response")
        elif kind == "error":
            draft.skip(reader.pointer, "The provider reports an error inside the stream.")
        else:
            _take_event(draft, streamed, reader, kind)
    if final is None:
        note_cut_stream(draft, "response.completed")
        return streamed
    if not final.fields.get("output") and streamed.places:
        detail = "The last event holds no output; the events before it are read."
        draft.remark(final.pointer, "STREAM_DIFFERS", detail)
        return streamed
    output = _read_response(draft, final)
    _compare(draft, streamed, output)
    return output


def _take_event(draft: Draft, streamed: Output, reader: ObjectReader, kind: str) -> None:
    if kind in {"response.output_text.delta", "response.refusal.delta"}:
        text = _find_place(streamed, reader)
        text.text += read_string(reader, "delta")
    elif kind == "response.output_text.annotation.added":
        pointer = f"{reader.pointer}/annotation"
        _find_place(streamed, reader).annotations.append((pointer, reader.fields.get("annotation")))
    elif kind == "response.output_item.done":
        item = open_field(reader, "item")
        if item.fields.get("type") == "file_search_call":
            streamed.searches.append(item)
    elif not kind.startswith("response."):
        skip_content(draft, reader.pointer, kind)


def _find_place(streamed: Output, reader: ObjectReader) -> OutputText:
    place = (reader.required("output_index", int, 0), reader.required("content_index", int, 0))
    check(reader)
    return streamed.places.setdefault(place, OutputText(pointer=reader.pointer))


def _compare(draft: Draft, streamed: Output, output: Output) -> None:
    """List streamed parts that the last event lacks: some tools lose them there."""
    for place, text in streamed.places.items():
        final = output.places.get(place)
        if text.text and (final is None or final.text != text.text):
            detail = "The streamed text is not that of the last event, which is read."
            draft.remark(text.pointer, "STREAM_DIFFERS", detail)
        known = [] if final is None else [value for _, value in final.annotations]
        for pointer, value in text.annotations:
            if value not in known:
                draft.skip(pointer, "The stream announced it; the last event does not have it.")
