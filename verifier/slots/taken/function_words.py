"""Small words that a claim exchanges although it has every other word of a sentence.

"Turn the valve on" has all that "turn the valve off" says but one small word; so have "rent or
heating" and "rent and heating", "the bridge is closed" and "was closed", "we pay" and "nobody
pays". Words of a joined phrase ("carried out": did) were compared with it.
"""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.plain_words import DENIALS
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.shortened import tells_past

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word

#: Particles of verbs; none in "up to 5", "out of 10".
_PARTICLES = frozenset({"off", "out", "up", "down"})
_NO_PARTICLE = frozenset({"to", "of", "from"})
_FORETOLD = frozenset({"will", "shall"})
_DUTIES = frozenset({"must", "shall"})
_PRESENT, _PAST = frozenset({"is", "are", "has", "have"}), frozenset({"was", "were", "had"})
_HAVE = frozenset({"has", "have", "had"})
#: Words of which each may stand for the others of its row, but for no other one.
_LINKS = (
    frozenset({"when", "whenever", "once", "if", "where", "as", "while", "upon"}),
    frozenset({"because", "since", "as"}),
    frozenset({"so", "therefore", "thus", "hence", "consequently"}),
    frozenset({"although", "though", "while", "whereas"}),
)
_CONDITIONS = frozenset({"when", "whenever", "once", "if", "while"})
_CAUSES = _LINKS[1] - {"since", "as"} | _LINKS[2]
_LINKING = frozenset[str]().union(*_LINKS)
#: Of whom a pronoun speaks: another person's is another one. A firm is "it" or "they".
_PERSONS = MappingProxyType(
    {
        word: person
        for person, words in (
            ("he", "he him his himself"),
            ("she", "she her herself"),
            ("they", "they them their it its itself"),
            ("we", "we us our i me my"),
            ("you", "you your"),
        )
        for word in words.split()
    }
)
_SPEAKERS = MappingProxyType(
    {"we": frozenset({"we", "our", "us"}), "i": frozenset({"i", "my", "me"})}
)
_THEY = frozenset({"he", "she", "it", "they", "one", "you"})
_NOBODY = DENIALS | frozenset({"few", "hardly", "only"})
#: What follows "or" in an amount: ten or more.
_MORE = frozenset(
    {"more", "less", "fewer", "over", "above", "under", "older", "younger", "later", "so", "longer"}
)
#: Words before a stretch that may govern its first one.
_BEFORE = 3


def keeps_small_words(
    terms: Sequence[Term], claim: Content, source: Content, *stretches: range
) -> bool:
    """Whether the claim's sentence has the small words of stretches of the source."""
    first = stretches[0].start
    places = [place for stretch in stretches for place in _widen(source, stretch)]
    # Words of a phrase that stands for one word of the claim: carried out, conducted.
    held = {
        place
        for term in terms
        for run in pairwise(term.places)
        if run[1] - run[0] == 1
        for place in run
    }
    told = _read(source.words.words[place] for place in places)
    theirs = _read(source.words.words[place] for place in places if place not in held)
    ours = _read_claim(terms, claim)
    return not (
        _exchanges_joints(ours, theirs)
        or bool(_find_particles(ours) - _find_particles(told))
        or bool(_find_particles(theirs) - _find_particles(ours))
        or _exchanges_modals(ours, theirs)
        or _exchanges_tenses(ours, theirs)
        or _goes_on(ours) != _goes_on(told)
        or _exchanges_links(ours, theirs)
        or _exchanges_persons(ours, theirs)
        or _exchanges_owners(terms, claim, source, held)
        or _exchanges_subject(ours, source, first, theirs)
    )


def _widen(source: Content, stretch: range) -> range:
    """A stretch with the small words before it, and the particle behind it."""
    low, high = stretch.start, stretch.stop
    number = source.sentences[low]
    while low > 0 and stretch.start - low < _BEFORE and source.sentences[low - 1] == number:
        if not source.empty[low - 1] or source.words.is_cut_after(low - 1):
            break
        low -= 1
    words = source.words.words
    while high < len(words) and words[high].text in _PARTICLES:
        high += 1
    return range(low, high)


def _read_claim(terms: Sequence[Term], claim: Content) -> list[str]:
    """The words of the claim's sentence, but those of joined phrases."""
    words = claim.words.words
    number = claim.sentences[claim.words.within(terms[0].span)[0]]
    joined = {
        place
        for term in terms
        for place in range(*claim.words.within(term.span))
        if claim.words.within(term.span)[1] - claim.words.within(term.span)[0] > 1
    }
    return _read(
        word
        for place, word in enumerate(words)
        if claim.sentences[place] == number and place not in joined
    )


def _read(words: Iterable[Word]) -> list[str]:
    """The words; the month of May is no verb."""
    return [f"{word.text}." if word.text == "may" and word.capital else word.text for word in words]


def _exchanges_joints(ours: list[str], theirs: list[str]) -> bool:
    """Whether "and" stands where the source has "or", or the other way."""
    if not DENIALS.isdisjoint(ours) or not DENIALS.isdisjoint(theirs):
        return False
    one, other = _find_joints(ours), _find_joints(theirs)
    return len(one) == 1 and len(other) == 1 and one != other


def _find_joints(words: list[str]) -> set[str]:
    return {
        word
        for word, behind in pairwise([*words, ""])
        if word == "and" or (word == "or" and behind not in _MORE)
    }


def _find_particles(words: list[str]) -> set[str]:
    return {
        word
        for word, behind in pairwise([*words, ""])
        if word in _PARTICLES and behind not in _NO_PARTICLE
    }


def _exchanges_modals(ours: list[str], theirs: list[str]) -> bool:
    """Whether what was or would be is told as what will be, or a duty as done."""
    told = set(ours)
    if told & _FORETOLD and (_FORETOLD | {"must", "may", "to"}).isdisjoint(theirs):
        return True
    done = tells_past(told) or not told.isdisjoint({"did", "does", "do"})
    return done and bool(_DUTIES & set(theirs)) and told.isdisjoint(_DUTIES | {"had", "to"})


def _exchanges_tenses(ours: list[str], theirs: list[str]) -> bool:
    """Whether the claim says "is" of what was, or "is closed" of what is being closed."""
    one, other = _find_tenses(ours), _find_tenses(theirs)
    return (
        (len(one) == 1 and len(other) == 1 and one != other)
        or ("being" in theirs) != ("being" in ours)
        or (_is_planned(ours) and not _is_planned(theirs) and _DUTIES.isdisjoint(theirs))
    )


def _goes_on(words: list[str]) -> bool:
    """Whether something is being done: is approving."""
    return any(
        word in {"is", "are"} and behind.endswith("ing") for word, behind in pairwise([*words, ""])
    )


def _is_planned(words: list[str]) -> bool:
    """Whether something is to be done."""
    return any(
        word in _PRESENT | _PAST and behind == "to" for word, behind in pairwise([*words, ""])
    )


def _find_tenses(words: list[str]) -> set[str]:
    found = set()
    for word, behind in pairwise([*words, ""]):
        if word in _HAVE and (behind == "been" or is_participle(behind)):
            continue
        if word in _PRESENT:
            found.add("present")
        elif word in _PAST:
            found.add("past")
    return found


def _exchanges_links(ours: list[str], theirs: list[str]) -> bool:
    """Whether a cause is added, or time, condition, cause and contrast stand for each other."""
    if not _CAUSES.isdisjoint(ours) and _LINKING.isdisjoint(theirs):
        return True
    one, other = _LINKING.intersection(ours), _LINKING.intersection(theirs)
    if not one and other & _CONDITIONS and "and" in ours and "and" not in theirs:
        return True
    return bool(one and other) and not any(one & row and other & row for row in _LINKS)


def _exchanges_persons(ours: list[str], theirs: list[str]) -> bool:
    one, other = _find_persons(ours), _find_persons(theirs)
    return bool(one and other) and one.isdisjoint(other)


def _exchanges_owners(
    terms: Sequence[Term], claim: Content, source: Content, held: set[int]
) -> bool:
    """Whether one thing is his in the claim and hers in the source."""
    for term in terms:
        index, _ = claim.words.within(term.span)
        places = [place for place in term.places if place not in held]
        if not index or len(places) != 1 or not places[0]:
            continue
        one, other = claim.words.words[index - 1].text, source.words.words[places[0] - 1].text
        if _PERSONS.get(one) != _PERSONS.get(other) and {one, other} <= _PERSONS.keys():
            return True
    return False


def _find_persons(words: list[str]) -> set[str]:
    return {_PERSONS[word] for word in words if word in _PERSONS}


def _exchanges_subject(ours: list[str], source: Content, first: int, theirs: list[str]) -> bool:
    """Whether the claim speaks of "us", or of somebody where the source says nobody."""
    speakers = _SPEAKERS.get(ours[0]) if ours else None
    if speakers is not None:
        return speakers.isdisjoint(word.partition("'")[0] for word in theirs)
    if not ours or ours[0] not in _THEY:
        return False
    words = source.words.words
    before = [
        words[place].text
        for place in range(max(0, first - _BEFORE), first)
        if source.sentences[place] == source.sentences[first]
    ]
    return not _NOBODY.isdisjoint(before)
