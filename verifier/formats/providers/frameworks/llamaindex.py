"""LlamaIndex ``CitationQueryEngine``: ``[n]`` in the prose names the source node shown as n.

Source: ``citation_query_engine.py`` of llama-index-core 0.14. A node's text is
``Source n:`` and a line with the chunk; that number, which the model saw, decides. Chunks of one
node share its id and its offsets in older releases: such ids and offsets are not believed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote, Retrieval
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from spanproof.verifier.formats.providers.either_case import choose_id, open_either_case
from spanproof.verifier.formats.providers.frameworks.document_names import (
    find_by_hash,
    read_names,
)
from spanproof.verifier.formats.providers.payload import find_cited, raise_malformed

if TYPE_CHECKING:
    from spanproof.verifier.formats.envelope import Envelope, SuppliedDocument
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

_PREFIX = re.compile(r"Source ([0-9]{1,6}):\n")
#: NodeRelationship.SOURCE as it is written: the document that a node was cut from.
_SOURCE = "1"
_IDS = ("ref_doc_id", "doc_id", "document_id", "file_name", "filename", "title")
_URIS = ("url", "URL", "source", "file_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """One source node: the number under which the model saw it, and its quote."""

    number: int
    named: str
    chunk_id: str
    quote: Quote
    document: SuppliedDocument | None
    score: float | None
    title: str | None
    pointer: str
    names: tuple[str, ...]


def read(envelope: Envelope) -> Draft:
    """Read ``{"response": text, "source_nodes": [...]}``."""
    draft = Draft(envelope, origin="llamaindex", declared_unit="codepoint")
    reader = open_either_case(envelope.response, "/response")
    prose = reader.optional("response", str)
    if prose is None:
        raise_malformed(
            "/response/response", "the text of the response", reader.fields.get("response")
        )
    draft.write(prose)
    nodes = _read_nodes(draft, list(reader.open_each("source_nodes")))
    for rank, node in enumerate(nodes, start=1):
        document = node.document
        draft.retrieved.append(
            Retrieval(
                chunk_id=node.chunk_id,
                doc_id=document.doc_id if document else node.named,
                doc_hash=document.doc_hash if document else None,
                text=node.quote.text,
                score=node.score,
                rank=rank,
                names=node.names,
            )
        )
    draft.anchors.extend(find_anchors(prose))
    for number in sorted({anchor.number for anchor in draft.anchors}):
        _cite(draft, number, [node for node in nodes if node.number == number])
    return draft


def _cite(draft: Draft, number: int, nodes: list[_Node]) -> None:
    """One citation for each number that the prose shows; a number without a node is an orphan."""
    if len(nodes) > 1:
        told = f"[{number}] may name any of {len(nodes)} nodes: {nodes[0].pointer}, …"
        draft.skip(nodes[1].pointer, told)
        return
    for node in nodes:
        draft.cite(
            document=node.document,
            named=node.named,
            quote=node.quote,
            number=number,
            chunk_id=node.chunk_id,
            doc_title=node.title,
            retrieval_score=node.score,
            names=node.names,
        )


def _read_nodes(draft: Draft, readers: list[EitherCaseReader]) -> list[_Node]:
    inner = [reader.open("node") or reader for reader in readers]
    ids = Counter(node.text("id_") or node.text("node_id") for node in inner)
    return [
        _read_node(draft, position, reader, node, ids)
        for position, (reader, node) in enumerate(zip(readers, inner, strict=True))
    ]


def _read_node(
    draft: Draft,
    position: int,
    reader: EitherCaseReader,
    node: EitherCaseReader,
    ids: Counter[str | None],
) -> _Node:
    text = node.optional("text", str)
    resource = node.open("text_resource")
    if text is None and resource is not None:
        text = resource.optional("text", str)
    if text is None:
        raise_malformed(f"{node.pointer}/text", "the text of a node", None)
    number, words = _strip(draft, node, position + 1, text)
    node_id = node.text("id_") or node.text("node_id")
    shared = node_id is not None and ids[node_id] > 1
    if shared:
        detail = f"{ids[node_id]} nodes share the id {node_id!r}: it names no single chunk."
        draft.remark(node.pointer, "CHUNK_ID_SHARED", detail)
    metadata = node.open("metadata")
    source = _find_source(node)
    given = [
        source,
        *(metadata.text(n) if metadata and _is_text(metadata, n) else None for n in _IDS),
    ]
    uris = [metadata.text(n) if metadata and _is_text(metadata, n) else None for n in _URIS]
    uri = next((u for u in uris if u and draft.envelope.find_document(uri=u)), None)
    chosen = choose_id(draft.envelope, [*given, None if shared else node_id])
    listed = any(name and draft.envelope.find_document(file_id=name) for name in [*given, node_id])
    document = None if uri or listed else find_by_hash(metadata)
    if document is None:
        document = find_cited(draft, node.pointer, uri=uri, file_id=chosen)
    return _Node(
        number=number,
        named=chosen or uri or node.pointer,
        chunk_id=node_id if node_id and not shared else f"source_nodes/{position}",
        quote=_quote(draft, node, words, shared=shared),
        document=document,
        score=reader.optional("score", float),
        title=metadata.text("title") if metadata and _is_text(metadata, "title") else None,
        pointer=node.pointer,
        names=() if document else read_names(metadata, source, None if shared else node_id),
    )


def _strip(draft: Draft, node: EitherCaseReader, position: int, text: str) -> tuple[int, str]:
    """The number that the model saw, and the chunk without the engine's own words around it."""
    match = _PREFIX.match(text)
    if match is None:
        return position, text
    number = int(match.group(1))
    if number != position:
        detail = f"Node {position} was shown as source {number}: that number is taken."
        draft.remark(node.pointer, "SOURCE_RENUMBERED", detail)
    return number, text[match.end() :].removesuffix("\n")


def _quote(draft: Draft, node: EitherCaseReader, words: str, *, shared: bool) -> Quote:
    """The chunk; with its offsets in the document if they fit these words."""
    start, end = node.integer("start_char_idx"), node.integer("end_char_idx")
    if start is None or end is None:
        return Quote(text=words)
    if shared or start < 0 or end - start != len(words):
        detail = f"Offsets {start} to {end} are not those of a chunk of {len(words)} characters."
        draft.remark(node.pointer, "OFFSETS_NOT_OF_CHUNK", detail)
        return Quote(text=words)
    return Quote(text=words, start=start, end=end, unit="codepoint")


def _find_source(node: EitherCaseReader) -> str | None:
    """The id of the document that the node was cut from."""
    relationships = node.open("relationships")
    if relationships is None or not isinstance(relationships.fields.get(_SOURCE), dict):
        return node.text("ref_doc_id")
    return open_either_case(
        relationships.fields[_SOURCE], f"{relationships.pointer}/{_SOURCE}"
    ).text("node_id")


def _is_text(metadata: EitherCaseReader, name: str) -> bool:
    """Metadata are the caller's own: a number under one of these names is not malformed."""
    return isinstance(metadata.fields.get(name), str)
