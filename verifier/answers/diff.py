"""Two verified answers, compared: citations gone, added or judged differently, and the prose.

Citations are matched by what they cite, never by their numbers: first by document, extraction and
resolved span; what is left over, by document and quoted words, but never if both were found in the
same extraction, because then they stand at two places.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedAnswerError
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.answers.prose_diff import ProseDifference, compare_prose
from spanproof.verifier.formats.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

#: The outcome of a citation that belongs to no claim.
NOT_JUDGED = "not_judged"
_WORST_FIRST = (
    *(o.value for o in (Outcome.FAIL, Outcome.ERROR, Outcome.REVIEW)),
    NOT_JUDGED,
    "pass",
)
#: The grammars of tokens that each format's prose may hold, beside the numbers of every one.
_GRAMMARS = {
    "chunk": ("chunk",),
    "ref": ("ref",),
    "field": ("field",),
    "openai-responses": ("fullwidth", "private-use"),
    "openai-chat": ("fullwidth", "private-use"),
    "openai-assistants": ("fullwidth", "private-use"),
}
_HINT = "Give an answer, or a file that 'verify --json' printed."


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """The citations of one answer at one place, with any numbers.

    Offsets are code points of the extraction, None if the words were not found. ``outcomes`` are
    those of all its verdicts, the worst first, and ``not_judged`` for a citation without a claim.
    """

    doc_hash: str | None
    doc_id: str | None
    extraction_id: str | None
    char_start: int | None
    char_end: int | None
    text: str | None
    anchors: tuple[int, ...]
    outcomes: tuple[str, ...]

    @property
    def is_resolved(self) -> bool:
        """Whether its words were found."""
        return self.char_start is not None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "anchors": list(self.anchors),
            "doc_hash": self.doc_hash,
            "doc_id": self.doc_id,
            "extraction_id": self.extraction_id,
            "char_start": self.char_start,
            "char_end": self.char_end,
            "text": self.text,
            "outcomes": list(self.outcomes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedAnswer:
    """One side: its prose without tokens, its citations in the order of the answer, its result."""

    prose: str
    places: tuple[CitedPlace, ...]
    result: str
    verifier_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDifference:
    """How the second answer differs from the first."""

    first: VerifiedAnswer
    second: VerifiedAnswer
    gone: tuple[CitedPlace, ...]
    added: tuple[CitedPlace, ...]
    changed: tuple[tuple[CitedPlace, CitedPlace], ...]
    unchanged: int
    prose: ProseDifference

    @property
    def is_same(self) -> bool:
        """Whether citations, their outcomes, the result and the prose without tokens agree."""
        return (
            not (self.gone or self.added or self.changed or self.prose.edits)
            and self.first.result == self.second.result
        )

    @property
    def is_same_verifier(self) -> bool:
        """Whether code, policy and model of both judgements are the same."""
        return self.first.verifier_version == self.second.verifier_version

    def to_json(self) -> dict[str, Any]:
        """Plain values; ``docs/how-to/evaluation.md`` describes them."""
        return {
            "same": self.is_same,
            "same_verifier": self.is_same_verifier,
            "a": _side_to_json(self.first),
            "b": _side_to_json(self.second),
            "citations": {
                "same": self.unchanged,
                "gone": [place.to_json() for place in self.gone],
                "added": [place.to_json() for place in self.added],
                "changed": [{"a": a.to_json(), "b": b.to_json()} for a, b in self.changed],
            },
            "prose": self.prose.to_json(),
        }


def compare_answers(first: VerifiedAnswer, second: VerifiedAnswer) -> AnswerDifference:
    """Citations gone, added or judged differently; each one of both answers is in one of the lists.

    Exchanging the sides exchanges gone and added.
    """
    pairs, gone, added = _match(first.places, second.places, _key_of_place, _always)
    for may_match in (_are_both_unfound, _are_in_two_extractions, _is_one_unfound):
        found, gone, added = _match(gone, added, _key_of_words, may_match)
        pairs += found
    changed = tuple((a, b) for a, b in pairs if a.outcomes != b.outcomes)
    return AnswerDifference(
        first=first,
        second=second,
        gone=tuple(gone),
        added=tuple(added),
        changed=changed,
        unchanged=len(pairs) - len(changed),
        prose=compare_prose(first.prose, second.prose),
    )


def read_verified(response: Mapping[str, Any]) -> VerifiedAnswer:
    """A side from an answer with its block, as ``verify`` gives it back.

    Raises MalformedAnswerError if a field that is read here is missing or of another kind.
    """
    try:
        block = response["verification"]
        formats = str(block["import"]["format"]).split(",")
        grammars = ("numbered", *(g for name in formats for g in _GRAMMARS.get(name, ())))
        return VerifiedAnswer(
            prose=clean(response["answer"], dict.fromkeys(grammars)).text.rstrip(),
            places=_read_places(response["citations"], block),
            result=Outcome(block["result"]).value,
            verifier_version=str(block["verifier_version"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        msg = f"Expected an answer with its verification block, got one that lacks {error!r}."
        raise MalformedAnswerError(msg, hint=_HINT) from error


def _read_places(
    citations: list[Mapping[str, Any]], block: Mapping[str, Any]
) -> tuple[CitedPlace, ...]:
    # What repair attached stands in the block alone; its verdicts count on after the answer's own.
    repaired = (block.get("repair") or {}).get("citations", [])
    if not all(isinstance(each, list) for each in (citations, repaired, block["verdicts"])):
        msg = "a list of citations or verdicts"
        raise TypeError(msg)
    given = [*citations, *repaired]
    verdicts: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for verdict in block["verdicts"]:
        if not 0 <= verdict["citation"] < len(given):
            msg = f"a citation of index {verdict['citation']}"
            raise IndexError(msg)
        verdicts[verdict["citation"]].append(verdict)
    grouped: dict[Hashable, list[CitedPlace]] = defaultdict(list)
    for index, citation in enumerate(given):
        place = _read_place(citation, verdicts[index])
        key = _key_of_place(place)
        # A citation that was not found has no place to compare.
        grouped[index if key is None else key].append(place)
    return tuple(_merge(group) for group in grouped.values())


def _read_place(citation: Mapping[str, Any], verdicts: list[Mapping[str, Any]]) -> CitedPlace:
    # A citation is searched once, however many claims it has.
    identity = verdicts[0]["identity"] if verdicts else {}
    existence = verdicts[0]["existence"] if verdicts else {}
    outcomes = [Outcome(verdict["outcome"]).value for verdict in verdicts] or [NOT_JUDGED]
    return CitedPlace(
        doc_hash=identity.get("doc_hash") or citation.get("doc_hash"),
        doc_id=citation.get("doc_id"),
        extraction_id=identity.get("extraction_id"),
        char_start=existence.get("char_start"),
        char_end=existence.get("char_end"),
        text=(citation.get("span") or {}).get("text"),
        anchors=(int(citation["anchor"]),),
        outcomes=_sort(outcomes),
    )


def _merge(group: list[CitedPlace]) -> CitedPlace:
    first = group[0]
    return CitedPlace(
        doc_hash=first.doc_hash,
        doc_id=first.doc_id,
        extraction_id=first.extraction_id,
        char_start=first.char_start,
        char_end=first.char_end,
        text=first.text,
        anchors=tuple(sorted({anchor for place in group for anchor in place.anchors})),
        outcomes=_sort(outcome for place in group for outcome in place.outcomes),
    )


def _sort(outcomes: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(outcomes, key=_WORST_FIRST.index))


def _key_of_place(place: CitedPlace) -> Hashable:
    """Document, extraction and span; None if the words were not found."""
    if not place.is_resolved:
        return None
    return (place.doc_hash, place.extraction_id, place.char_start, place.char_end)


def _key_of_words(place: CitedPlace) -> Hashable:
    return " ".join((place.text or "").split())


def _always(_first: CitedPlace, _second: CitedPlace) -> bool:
    return True


def _name_one_document(first: CitedPlace, second: CitedPlace) -> bool:
    if first.doc_hash is not None and second.doc_hash is not None:
        return first.doc_hash == second.doc_hash
    return first.doc_id is not None and first.doc_id == second.doc_id


def _are_both_unfound(first: CitedPlace, second: CitedPlace) -> bool:
    return _name_one_document(first, second) and not (first.is_resolved or second.is_resolved)


def _are_in_two_extractions(first: CitedPlace, second: CitedPlace) -> bool:
    """Equal words found twice in one extraction are two places."""
    return (
        _name_one_document(first, second)
        and first.is_resolved
        and second.is_resolved
        and first.extraction_id != second.extraction_id
    )


def _is_one_unfound(first: CitedPlace, second: CitedPlace) -> bool:
    return _name_one_document(first, second) and first.is_resolved != second.is_resolved


def _match(
    first: Iterable[CitedPlace],
    second: Iterable[CitedPlace],
    key: Callable[[CitedPlace], Hashable],
    may_match: Callable[[CitedPlace, CitedPlace], bool],
) -> tuple[list[tuple[CitedPlace, CitedPlace]], list[CitedPlace], list[CitedPlace]]:
    """Pairs of equal keys, in order, and the rest of both sides; a key of None equals no other."""
    waiting: dict[Hashable, list[CitedPlace]] = defaultdict(list)
    for place in second:
        waiting[key(place)].append(place)
    pairs: list[tuple[CitedPlace, CitedPlace]] = []
    left: list[CitedPlace] = []
    for place in first:
        found = waiting.get(key(place), []) if key(place) is not None else []
        partner = next((other for other in found if may_match(place, other)), None)
        if partner is None:
            left.append(place)
        else:
            found.remove(partner)
            pairs.append((place, partner))
    taken = {id(partner) for _, partner in pairs}
    return pairs, left, [place for place in second if id(place) not in taken]


def _side_to_json(side: VerifiedAnswer) -> dict[str, Any]:
    return {
        "result": side.result,
        "verifier_version": side.verifier_version,
        "citations": len(side.places),
    }
