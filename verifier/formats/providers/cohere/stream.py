"""The events of Cohere's chat v2, folded: texts by content index, citations by their events."""

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
    read_string,
    read_word,
    skip_content,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.draft import Draft

#: Events without prose or citations. An end adds nothing to the next start.
_QUIET = frozenset(
    {"message-start", "content-end", "citation-end", "tool-plan-delta", "debug"}
    | {"tool-call-start", "tool-call-delta", "tool-call-end"}
)


@dataclass(slots=True, kw_only=True)
class Folded:
    """The text contents by index, and the citations with the pointers of their events."""

    texts: dict[int, str] = field(default_factory=dict)
    citations: list[tuple[str, Any]] = field(default_factory=list)


def fold_events(draft: Draft, events: list[Any]) -> Folded:
    """The message of the events; a stream without ``message-end`` is listed as cut."""
    folded, kinds, ended = Folded(), dict[int, str](), False
    for position, event in enumerate(events):
        reader = open_object(event, f"/response/{position}")
        kind = read_string(reader, "type")
        if kind in {"content-start", "content-delta"}:
            _add_text(draft, folded, kinds, reader)
        elif kind == "citation-start":
            _add_citation(folded, reader)
        elif kind == "message-end":
            ended = True
            reason = read_word(open_field(reader, "delta"), "finish_reason")
            if reason not in {None, "COMPLETE", "STOP_SEQUENCE"}:
                note_cut_answer(draft, f"{reader.pointer}/delta/finish_reason", reason)
        elif kind not in _QUIET:
            skip_content(draft, reader.pointer, kind)
    if not ended:
        note_cut_stream(draft, "message-end")
    return folded


def _add_text(draft: Draft, folded: Folded, kinds: dict[int, str], reader: ObjectReader) -> None:
    index = reader.required("index", int, 0)
    check(reader)
    content = open_field(open_field(open_field(reader, "delta"), "message"), "content")
    kind = content.optional("type", str)
    if kind is not None:
        kinds[index] = kind
    known = kinds.get(index, "text")
    if known == "text":
        folded.texts[index] = folded.texts.get(index, "") + (content.optional("text", str) or "")
    elif known != "thinking" and kind is not None:
        skip_content(draft, content.pointer, kind)
    check(content)


def _add_citation(folded: Folded, reader: ObjectReader) -> None:
    message = open_field(open_field(reader, "delta"), "message")
    pointer = f"{message.pointer}/citations"
    given = message.fields.get("citations")
    if isinstance(given, list):
        # One object is documented, under a plural name: a list is taken, too.
        folded.citations.extend((f"{pointer}/{i}", item) for i, item in enumerate(given))
    elif given is None or isinstance(given, dict):
        folded.citations.append((pointer, given))
    else:
        raise_malformed(pointer, "an object", given)
