"""Vertex AI Search ``Answer``: citations of an answer's text by the ids of its references.

Source: the discoveryengine types. Offsets are UTF-8 bytes with an exclusive end, an int64 and so a
string in JSON; nothing repeats the text, so they are believed. ``referenceId`` is the index of a
reference; each of its chunks that has words is cited by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.citation import Retrieval
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import (
    choose_id,
    note_page,
    note_scores,
    open_either_case,
)
from spanproof.verifier.formats.providers.payload import (
    cite_segment,
    find_cited,
    note_cut_answer,
    quote_of,
    raise_malformed,
)

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope, SuppliedDocument
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

_DONE = (None, "STATE_UNSPECIFIED", "SUCCEEDED")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    """Words of one reference; ``text`` is None if the payload has none."""

    named: str
    document: SuppliedDocument | None
    text: str | None
    title: str | None
    url: str | None


def read(envelope: Envelope) -> Draft:
    """Read an Answer, or the response of ``:answer`` that holds one."""
    draft = Draft(envelope, origin="vertex-answer", declared_unit="utf8")
    whole = open_either_case(envelope.response, "/response")
    answer = whole.open("answer") or whole
    text, skipped = answer.text("answerText"), list(answer.items("answerSkippedReasons"))
    if text is None and not skipped:
        raise_malformed(answer.at("answerText"), "the text of a Vertex AI Search answer", None)
    within = draft.write(text or "")
    for pointer, reason in skipped:
        note_cut_answer(draft, pointer, reason)
    state = answer.text("state")
    if state not in _DONE:
        note_cut_answer(draft, answer.at("state"), state)
    references = [_read_reference(draft, reader) for reader in answer.open_each("references")]
    _keep_retrieved(draft, references)
    reader = _AnswerReader(draft=draft, within=within, references=references)
    for citation in answer.open_each("citations"):
        reader.cite_sources(citation)
    for support in answer.open_each("groundingSupports"):
        reader.read_support(support)
    return draft


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnswerReader:
    """Cites the sources of segments; ``_cited`` are the segments and references cited so far."""

    draft: Draft
    within: Span
    references: list[list[_Passage]]
    _cited: set[tuple[int, int, str]] = field(default_factory=set)

    def read_support(self, support: EitherCaseReader) -> None:
        """A support: its score, and the sources that no citation has named already."""
        score = support.optional(support.spell("groundingScore"), float)
        if score is not None:
            note_scores(self.draft, support.at("groundingScore"), score)
        if support.fields.get(support.spell("groundingCheckRequired")) is False:
            detail = "The provider did not check this claim."
            self.draft.remark(support.pointer, "NOT_CHECKED", detail)
        self.cite_sources(support, repeats=True)

    def cite_sources(self, owner: EitherCaseReader, *, repeats: bool = False) -> None:
        """Cite the sources of one segment; a support may repeat what a citation said already."""
        start, end = owner.offsets("startIndex", "endIndex")
        segment = self.draft.place(owner.pointer, self.within, start, end, None)
        sources = list(owner.open_each("sources"))
        if not sources and not repeats:
            self.draft.skip(owner.pointer, "A citation without sources.")
        for source in sources:
            given = source.text("referenceId") or "0"
            if repeats and (start, end, given) in self._cited:
                continue
            self._cited.add((start, end, given))
            count = len(self.references)
            if not (given.isascii() and given.isdigit() and int(given) < count):
                detail = f"Reference {given!r} of {count}: there is none."
                self.draft.skip(source.pointer, detail)
                continue
            for passage in self.references[int(given)]:
                cite_segment(
                    self.draft,
                    source.pointer,
                    segment,
                    named=passage.named,
                    document=passage.document,
                    quote=quote_of(passage.text),
                    doc_title=passage.title,
                    doc_url=passage.url,
                )


def _read_reference(draft: Draft, reader: EitherCaseReader) -> list[_Passage]:
    chunk = reader.open("chunkInfo")
    if chunk is not None:
        about = chunk.open("documentMetadata") or chunk
        ids = (about.text("document"), chunk.text("chunk"))
        return [_passage(draft, chunk, about, ids, about)]
    info = reader.open("unstructuredDocumentInfo")
    if info is not None:
        contents = list(info.open_each("chunkContents"))
        return [
            _passage(draft, content, info, (info.text("document"),), content)
            for content in contents or [info]
        ]
    structured = reader.open("structuredDocumentInfo")
    if structured is None:
        draft.remark(reader.pointer, "CONTENT_SKIPPED", "A reference of an unknown kind.")
        return [_empty(reader.pointer)]
    return [_passage(draft, structured, structured, (structured.text("document"),), structured)]


def _passage(
    draft: Draft,
    words: EitherCaseReader,
    about: EitherCaseReader,
    ids: tuple[str | None, ...],
    paged: EitherCaseReader,
) -> _Passage:
    note_page(draft, paged.at("pageIdentifier"), paged.text("pageIdentifier"))
    uri, chosen = about.text("uri"), choose_id(draft.envelope, ids)
    return _Passage(
        named=uri or chosen or words.pointer,
        document=find_cited(draft, words.pointer, uri=uri, file_id=chosen),
        text=words.text("content"),
        title=about.text("title"),
        url=uri,
    )


def _empty(pointer: str) -> _Passage:
    return _Passage(named=pointer, document=None, text=None, title=None, url=None)


def _keep_retrieved(draft: Draft, references: list[list[_Passage]]) -> None:
    for position, passages in enumerate(references):
        for passage in passages:
            if passage.text is not None:
                document = passage.document
                chunk = Retrieval(
                    chunk_id=f"references/{position}",
                    doc_id=document.doc_id if document else passage.named,
                    doc_hash=document.doc_hash if document else None,
                    text=passage.text,
                    rank=position + 1,
                )
                draft.retrieved.append(chunk)
