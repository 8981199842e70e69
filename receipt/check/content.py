"""Compares a statement with the auditor's own documents, texts, replay and policy.

Only for statements whose signature and place in the log were checked
(``spanproof.receipt.check.receipt``). Each function gives one line of the report; without anything
to compare it is NOT ASKED.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import EvidenceError, InputError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.core.verdicts.status import Outcome
from spanproof.receipt.check.report import Line, LineStatus, Question
from spanproof.receipt.statement.redaction import hash_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanproof.receipt.statement.events import Erasure
    from spanproof.receipt.statement.predicate import Predicate, SignedText
    from spanproof.receipt.statement.signed_verdict import SignedVerdict

#: Names of documents that a line lists; a receipt may have thousands.
_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequirement:
    """The policy under which a receipt must say ``pass``; its digest decides, not its name."""

    name: str
    digest: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditorFile:
    """A document that the auditor holds, by its digest and size."""

    digest: Digest
    byte_length: int

    @classmethod
    def of(cls, raw: bytes) -> AuditorFile:
        """Of these bytes."""
        return cls(digest=Digest.of(raw), byte_length=len(raw))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditorText:
    """A canonical text that the auditor holds; bytes that are not UTF-8 are not a text."""

    digest: Digest
    text: str

    @classmethod
    def of(cls, raw: bytes) -> AuditorText:
        """Of these bytes; nothing is taken off or translated."""
        return cls(digest=Digest.of(raw), text=raw.decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditorAnswer:
    """An answer that the auditor holds: its prose, or the whole payload as it came in.

    ``prose`` has the digests of the file as a text, of that text without its last line end, and
    of the field ``answer`` where the file is a JSON object.
    """

    payload: Digest
    prose: frozenset[Digest]

    @classmethod
    def of(cls, raw: bytes) -> AuditorAnswer:
        """Of these bytes."""
        digests = {Digest.of(raw), Digest.of(raw.removesuffix(b"\n").removesuffix(b"\r"))}
        try:
            fields = load_json(raw)
        except InputError:
            fields = None
        if isinstance(fields, dict) and isinstance(prose := fields.get("answer"), str):
            digests.add(Digest(hash_text(prose)))
        return cls(payload=Digest.of(raw), prose=frozenset(digests))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedErasure:
    """A tombstone whose signature and place in the log were checked, and where it appears."""

    event: Erasure
    index: int

    def __str__(self) -> str:
        event = self.event
        what = event.doc_hash or f"the words of verification {event.verification_id}"
        place = f"leaf {self.index} of {event.origin}"
        return f"{what} erased {event.time:%Y-%m-%d}, see the tombstone at {place}"


def check_answer(predicate: Predicate, answer: AuditorAnswer | None) -> Line:
    """ANSWER: whether the receipt is of this prose, or of this payload, byte for byte."""
    signed = predicate.answer.sha256
    said = f"the answer of {signed}"
    if answer is None:
        return _line(Question.ANSWER, LineStatus.NOT_ASKED, f"{said}; no answer was given.")
    if answer.payload == predicate.request.digest:
        words = f"{said}, with the whole payload {answer.payload} as it came in."
        return _line(Question.ANSWER, LineStatus.OK, words)
    if signed in answer.prose:
        return _line(Question.ANSWER, LineStatus.OK, f"{said}.")
    words = (
        f"Expected {said}, got a file of {answer.payload}. Give the answer's prose as it was "
        "verified, marks of citations included."
    )
    return _line(Question.ANSWER, LineStatus.FAILED, words)


def check_documents(
    predicate: Predicate, sources: Sequence[AuditorFile], erasures: Sequence[LoggedErasure] = ()
) -> Line:
    """DOCUMENT: whether each of these files is one that the receipt is about, byte for byte.

    A file that came with the answer, and that nothing cites, is a file about which the receipt says
    nothing: it is NOT CHECKED. A tombstone of one of its documents is told, and changes nothing:
    who still holds the file can compare it.
    """
    known = {document.doc_hash: document for document in predicate.documents}
    gone = [
        str(each)
        for each in erasures
        if each.event.doc_hash in known or each.event.verification_id == predicate.verification_id
    ]
    if not sources:
        words = f"{_count(len(known), 'document')}; no file was given to compare."
        if gone:
            words = f"{_count(len(known), 'document')}; {'; '.join(gone)}."
        return _line(Question.DOCUMENT, LineStatus.NOT_ASKED, words)
    for source in sources:
        document = known.get(source.digest)
        if document is None or document.byte_length != source.byte_length:
            words = (
                f"Expected {_list([str(each) for each in known])}, got a file of {source.digest} "
                f"and {source.byte_length} bytes. Give the source file itself."
            )
            return _line(Question.DOCUMENT, LineStatus.FAILED, words)
    given = list(dict.fromkeys(str(source.digest) for source in sources))
    cited = _find_cited(predicate)
    uncited = [each for each in given if each not in cited]
    if uncited:
        words = (
            f"{_list(uncited)}: supplied, not cited; no verdict is about it. "
            "Give the source of a citation."
        )
        return _line(Question.DOCUMENT, LineStatus.NOT_CHECKED, words)
    more = "".join(f"; {each}" for each in gone)
    words = f"{_list(given)}, byte for byte{_rest(len(known) - len(given))}{more}."
    return _line(Question.DOCUMENT, LineStatus.OK, words)


def check_spans(predicate: Predicate, texts: Sequence[AuditorText]) -> Line:
    """SPAN: whether these canonical texts say, at every resolved span, what the receipt says."""
    spans = [verdict for verdict in predicate.verdicts if verdict.existence.offsets is not None]
    if not texts:
        words = f"{_count(len(spans), 'span')}; no canonical text was given to compare."
        return _line(Question.SPAN, LineStatus.NOT_ASKED, words)
    try:
        given = _read_texts(predicate, texts)
        checked = sum(_check_span(verdict, given) for verdict in spans)
    except EvidenceError as error:
        return _line(Question.SPAN, LineStatus.FAILED, str(error))
    if not spans:
        words = "The text is the receipt's, which says that no words of it were found there."
        return _line(Question.SPAN, LineStatus.OK, words)
    if not checked:
        words = f"The text is the receipt's, and none of its {_count(len(spans), 'span')} is in it."
        return _line(Question.SPAN, LineStatus.NOT_CHECKED, words)
    words = f"{_count(checked, 'span')} {_VERB[checked == 1]} as signed"
    return _line(Question.SPAN, LineStatus.OK, f"{words}{_rest(len(spans) - checked)}.")


def check_support(predicate: Predicate, recompute: Callable[[Predicate], Line] | None) -> Line:
    """SUPPORT: what the receipt claims; computed again only by ``recompute``."""
    if recompute is not None:
        return recompute(predicate)
    counts = Counter(verdict.support.status.value for verdict in predicate.verdicts)
    said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no claim"
    model = predicate.model
    weights = "no weights" if model.weights_sha256 is None else f"sha256:{model.weights_sha256.hex}"
    words = f"The receipt says {said}, by {model.name!r} ({weights}); it was not recomputed."
    return _line(Question.SUPPORT, LineStatus.NOT_ASKED, words)


def check_policy(predicate: Predicate, requirement: PolicyRequirement | None) -> Line:
    """POLICY: whether the receipt says ``pass`` under the policy that is required."""
    policy, result = predicate.policy, predicate.summary.result
    said = f"{result.value!r} under {policy.name!r} ({policy.digest})"
    if requirement is None:
        words = f"The receipt says {said}; no policy was required."
        return _line(Question.POLICY, LineStatus.NOT_ASKED, words)
    wanted = f"'pass' under {requirement.name!r} ({requirement.digest})"
    if policy.digest != requirement.digest or result is not Outcome.PASS:
        return _line(Question.POLICY, LineStatus.FAILED, f"Expected {wanted}, got {said}.")
    return _line(Question.POLICY, LineStatus.OK, f"{said}.")


def _find_cited(predicate: Predicate) -> frozenset[str]:
    """The documents that a citation names, or a verdict: there the words or their support stand."""
    found = {citation.doc_hash for citation in predicate.citations}
    found |= {verdict.identity.doc_hash for verdict in predicate.verdicts}
    found |= {document.doc_hash for document in predicate.documents if document.doc_ids}
    elsewhere = {
        str(place.get("doc_hash"))
        for verdict in predicate.verdicts
        for place in (*verdict.existence.candidates, *verdict.attribution.supported_by)
    }
    return frozenset(map(str, found)) | elsewhere


def _read_texts(predicate: Predicate, texts: Sequence[AuditorText]) -> dict[Digest, str]:
    """The given texts by the extractions that have them."""
    known: dict[Digest, list[SignedText]] = {}
    for document in (*predicate.documents, *predicate.snippets):
        for each in document.canonical_texts:
            known.setdefault(each.sha256, []).append(each)
    given: dict[Digest, str] = {}
    for held in texts:
        named = known.get(held.digest, [])
        if not named or any(each.code_points != len(held.text) for each in named):
            msg = (
                f"Expected {_list([str(each) for each in known])}, got a text of {held.digest} "
                f"and {len(held.text)} characters."
            )
            hint = "Give the canonical text as 'spanproof text' writes it, byte for byte."
            raise EvidenceError(msg, hint=hint)
        given |= {each.extraction_id: held.text for each in named}
    return given


def _check_span(verdict: SignedVerdict, given: Mapping[Digest, str]) -> bool:
    """Whether the verdict's span lies in a given text; EvidenceError where it says otherwise."""
    extraction_id, offsets = verdict.identity.extraction_id, verdict.existence.offsets
    text = None if extraction_id is None else given.get(extraction_id)
    if text is None or offsets is None:
        return False
    start, end = offsets
    where = f"[{verdict.anchor}] at {start} to {end} of {extraction_id}"
    # Inside the text: the statement's spans are within its own count, which is the text's.
    if Digest.of(text[start:end].encode("utf-8")) != verdict.existence.span_sha256:
        msg = f"Expected the words that were signed for {where}, got others."
        hint = "Do not rely on the receipt: it does not say what its text says."
        raise EvidenceError(msg, hint=hint)
    return True


_CODES = {
    Question.ANSWER: "ANSWER_NOT_THE_ONE",
    Question.DOCUMENT: "SOURCE_NOT_THE_ONE",
    Question.SPAN: "SPAN_NOT_AS_SIGNED",
    Question.POLICY: "POLICY_UNMET",
}
_VERB = {True: "reads", False: "read"}


def _line(question: Question, status: LineStatus, words: str) -> Line:
    code = _CODES.get(question) if status is LineStatus.FAILED else None
    return Line(question=question, status=status, words=words, code=code)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _list(names: Sequence[str]) -> str:
    """The first few of them."""
    if not names:
        return "none at all"
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _rest(number: int) -> str:
    return f"; {number} more not asked" if number else ""
