"""LangChain: a message whose text blocks carry annotations, and the documents it was given.

Source: ``messages/content.py`` of langchain-core 1.7. Indices are of the response text, in a unit
that is not documented, and Gemini's bytes are copied as they are: only a reading that the slice
confirms, or that all units share, is taken. ``cited_text`` is the source's words, but the answer's
own where the annotation came from Gemini. A message without annotations is read by its ``[n]``,
which name the documents from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from spanproof.verifier.formats.providers.either_case import open_either_case
from spanproof.verifier.formats.providers.frameworks.langchain_annotations import (
    MessageImport,
    read_annotation,
)
from spanproof.verifier.formats.providers.frameworks.langchain_documents import read_documents
from spanproof.verifier.formats.providers.google.gemini import GroundingReader
from spanproof.verifier.formats.providers.google.gemini_parts import Parts
from spanproof.verifier.formats.providers.payload import raise_malformed, skip_content, skip_null

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

_MESSAGE = ("message", "output")
_TEXT = ("text", "answer")
_DOCUMENTS = ("documents", "context", "source_documents")
#: Where old integrations leave citations beside the text.
_BESIDE = ("annotations", "citations")
_SILENT = frozenset(
    {"reasoning", "thinking", "tool_call", "tool_call_chunk", "tool_use", "function_call"}
    | {"server_tool_call", "server_tool_call_chunk", "server_tool_result", "invalid_tool_call"}
)


def read(envelope: Envelope) -> Draft:
    """Read ``{"message": …, "documents": […]}``, a message alone, or a text with annotations."""
    draft = Draft(envelope, origin="langchain")
    whole = open_either_case(envelope.response, "/response")
    name = next((name for name in _MESSAGE if whole.fields.get(name) is not None), None)
    message = unwrap(whole) if name is None else unwrap(_open(whole, name))
    imported = MessageImport(draft=draft, metadata=_find_grounding(message))
    blocks = _read_blocks(imported, message)
    listed = next((name for name in _DOCUMENTS if whole.fields.get(name) is not None), None)
    documents = read_documents(draft, whole, listed) if listed else []
    _skip_beside(draft, message)
    if imported.annotations:
        return draft
    if imported.metadata is not None and imported.metadata.has("groundingSupports"):
        span = blocks[0] if blocks else draft.write("")
        GroundingReader(draft, Parts(spans=(span,), whole=span)).read(imported.metadata)
    elif documents:
        draft.anchors.extend(find_anchors(draft.prose))
        for number in sorted({anchor.number for anchor in draft.anchors}):
            if 1 <= number <= len(documents):
                documents[number - 1].cite(draft, number)
    return draft


def unwrap(reader: EitherCaseReader) -> EitherCaseReader:
    """The fields of an object that ``dumpd`` or ``messages_to_dict`` wrapped."""
    for name in ("kwargs", "data"):
        if isinstance(reader.fields.get(name), dict) and {"lc", "type"} & set(reader.fields):
            return _open(reader, name)
    return reader


def _open(reader: EitherCaseReader, name: str) -> EitherCaseReader:
    value, pointer = reader.fields[name], f"{reader.pointer}/{name}"
    # A chain may give its answer as a plain text.
    return open_either_case({"content": value} if isinstance(value, str) else value, pointer)


def _find_grounding(message: EitherCaseReader) -> EitherCaseReader | None:
    metadata = message.open("response_metadata")
    return None if metadata is None else metadata.open("groundingMetadata")


def _read_blocks(imported: MessageImport, message: EitherCaseReader) -> list[Span]:
    """Write every text block and read its annotations; return the span of each."""
    draft = imported.draft
    text = next((name for name in _TEXT if message.fields.get(name) is not None), None)
    name = "content_blocks" if message.has("content_blocks") else "content"
    content = message.fields.get(name)
    if content is None and text is not None:
        words = message.required(text, str, "")
        if message.problems:
            raise_malformed(
                f"{message.pointer}/{text}", "the text of the response", message.fields[text]
            )
        span = draft.write(words)
        _read_annotations(imported, message, span)
        return [span]
    if isinstance(content, str):
        return [draft.write(content)]
    if not isinstance(content, list):
        raise_malformed(f"{message.pointer}/{name}", "a text or a list of content blocks", content)
    spans = []
    for position, block in enumerate(content):
        pointer = f"{message.pointer}/{name}/{position}"
        if isinstance(block, str):
            spans.append(draft.write(block))
            continue
        reader = open_either_case(block, pointer)
        kind = reader.text("type")
        if kind in {"text", "output_text"}:
            words = reader.optional("text", str) or ""
            spans.append(draft.write(words))
            _read_annotations(imported, reader, spans[-1])
        elif kind not in _SILENT:
            skip_content(draft, pointer, kind)
    return spans


def _read_annotations(imported: MessageImport, owner: EitherCaseReader, block: Span) -> None:
    for name in _BESIDE:
        for pointer, item in owner.items(name):
            imported.annotations += 1
            if not skip_null(imported.draft, pointer, item):
                read_annotation(imported, open_either_case(item, pointer), block)


def _skip_beside(draft: Draft, message: EitherCaseReader) -> None:
    beside = message.open("additional_kwargs")
    for name in _BESIDE:
        for pointer, _ in beside.items(name) if beside is not None else ():
            draft.skip(pointer, "A citation beside the message's content is not read.")
