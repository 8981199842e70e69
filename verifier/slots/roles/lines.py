"""A sentence as lines of steps: what tells who does what to whom, in a plain order.

Articles, auxiliaries and adverbs are left out, so that "has recently sued" and "sued" are one step.
What a sentence says in another order gives one more line each: a passive with its agent ("was sued
by Beta"), a subordinate clause at the front, "Anna's mother is Eva".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.irregular_verbs import BASES, PARTICIPLES
from spanproof.verifier.language.lexicon import stem
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import Word, Words


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _words(
    "a an the these those its his her their our my your some any all every each both most will"
    " would shall can could may might must should do does did not never cannot also then later"
    " now already still soon just even again ever once very merely please there thereby thus"
    " therefore so too yet indeed further instead recently first finally wholly"
)
_HAVE = _words("has have had having")
_BE = _words("is are was were be been being am")
#: Words in -ly that are no adverbs, and the fewest letters of one that is.
_NO_ADVERBS = _words(
    "family supply reply apply imply comply assembly monopoly anomaly belly bully jelly lily rally"
    " tally multiply butterfly"
)
_MIN_ADVERB = 5
PREPOSITIONS = _words(
    "of in on at by with for from to into onto over under above below against through during before"
    " after since until till without within about across around along amongst behind beneath beside"
    " besides between beyond despite near next off toward towards upon via per plus minus as than"
    " like unlike among amid inside outside because if when while although though unless whereas"
)
#: Steps at which a noun phrase ends.
BREAKS = _words(
    "who which that whose whom where because although though while whereas when if unless but ,"
)
_LEADING = _words("before after if when because since until unless although while once as")
#: Words of one sentence, and passives of it, that are read.
_MAX_WORDS, _MAX_PASSIVES = 300, 6
#: How many steps an argument of a passive takes, and how far "by" stands from its verb.
_MAX_ARGUMENT, _MAX_TO_BY = 8, 6
#: How many words an owner ("the managing director's") and what it owns take.
_MAX_OWNER, _MAX_OWNED = 3, 2


@dataclass(frozen=True, slots=True)
class Step:
    """One word that counts, by its base form; a comma or the like is ``,``, a genitive ``'s``.

    The key of a verb in the passive ends in ``<``: its subject is what elsewhere is its object.
    """

    key: str
    place: int
    content: bool


Line = tuple[Step, ...]


@lru_cache(maxsize=64)
def read_lines(text: str, first: int, last: int, locale: Locale) -> tuple[Line, ...]:
    """The line of the sentence in a half-open range of words, then the others.

    Of a sentence that is too long to be one, the beginning.
    """
    words = read_words(text, locale)
    line = _read_line(words, first, min(last, first + _MAX_WORDS))
    base = list(line)
    lines: list[Line] = []
    for index in range(1, len(line)):
        if len(lines) == _MAX_PASSIVES:
            break
        by = _find_agent_of(line, index, words)
        if by is None:
            continue
        base[index] = replace(line[index], key=line[index].key + "<")
        turned = _turn(line, index, by, words)
        if turned:
            lines.append(turned)
    lines.insert(0, tuple(base))
    lines += [turned for each in lines[:2] if (turned := _lead_last(each))]
    lines += [turned for each in lines[:2] if (turned := _own_last(each))]
    lines += [turned for each in lines if (turned := _swap_sides(each, words))]
    return tuple(lines)


def base_of(text: str, root: str) -> str:
    """The base form of a verb's form, near enough that all its forms meet."""
    root = stem(BASES[text]) if text in BASES else root
    if root.endswith("i"):
        root = root[:-1] + "y"
    doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "aeiou"
    return root[:-1] if doubled else root


def is_participle(text: str) -> bool:
    """Whether a word may be the participle of a passive."""
    return text.endswith("ed") or text in PARTICIPLES


def _read_line(words: Words, first: int, last: int) -> Line:
    line: list[Step] = []
    for place in range(first, last):
        word = words.words[place]
        letter = len(word.text) == 1 and word.capital and place > first and word.text != "i"
        if letter:
            line.append(Step(word.text, place, content=True))
        elif not _is_dropped(words, place, last):
            line.append(_to_step(word, place))
            if word.text.endswith(("'s", "s'")):
                line.append(Step("'s", place, content=False))
        if words.is_cut_after(place) and place + 1 < last:
            line.append(Step(",", place, content=False))
    return tuple(line)


def _to_step(word: Word, place: int) -> Step:
    if word.text in _BE:
        return Step("be", place, content=False)
    if word.text in PREPOSITIONS or word.text in BREAKS:
        return Step(word.text, place, content=False)
    return Step(base_of(word.text, word.stem), place, content=word.content)


def _is_dropped(words: Words, place: int, last: int) -> bool:
    text = words.words[place].text
    if text in _DROPPED or text.endswith("n't"):
        return True
    if text in _HAVE:
        rest = (w.text for w in words.words[place + 1 : min(last, place + 4)] if not _is_adverb(w))
        following = next(rest, "")
        return following in _BE or is_participle(following)
    return _is_adverb(words.words[place])


def _is_adverb(word: Word) -> bool:
    if word.text in {"not", "also", "never", "recently"}:
        return True
    long = word.text.endswith("ly") and len(word.text) >= _MIN_ADVERB
    return long and not word.capital and word.text not in _NO_ADVERBS


def _find_agent_of(line: Line, verb: int, words: Words) -> int | None:
    """Where the "by" of a passive stands; it follows at once where no form of "be" helps."""
    step = line[verb]
    if not step.content or not is_participle(words.words[step.place].text):
        return None
    helped = line[verb - 1].key in {"be", "get"}
    for index in range(verb + 1, min(len(line), verb + 1 + (_MAX_TO_BY if helped else 1))):
        if line[index].key == "by":
            return index
        if line[index].key == "be" or line[index].key in BREAKS:
            return None
    return None


def _turn(line: Line, verb: int, by: int, words: Words) -> Line:
    """A passive in active order: agent, verb, patient, the rest."""
    agent = _read_agent(line, by + 1, words)
    patient = _read_patient(line, verb - 1 if line[verb - 1].key in {"be", "get"} else verb)
    if not agent or not patient:
        return ()
    rest = (*line[verb + 1 : by], *line[by + 1 + len(agent) :])
    return (*agent, line[verb], *patient, *rest)


def _read_agent(line: Line, start: int, words: Words) -> Line:
    """The noun phrase after "by"; empty if it is a number or an action (by 5 %, by using)."""
    end = start
    while end < min(len(line), start + _MAX_ARGUMENT):
        key = line[end].key
        if key in BREAKS or key == "be" or (key in PREPOSITIONS and key != "of"):
            break
        end += 1
    agent = line[start:end]
    if not any(step.content for step in agent) or agent[0].key[0].isdigit():
        return ()
    return () if words.words[agent[0].place].text.endswith("ing") else agent


def _read_patient(line: Line, end: int) -> Line:
    """The noun phrase before a passive; for a relative clause the one that it belongs to."""
    if end and line[end - 1].key in {"which", "who", "that"}:
        end -= 1
        if end and line[end - 1].key == ",":
            end -= 1
    start = end
    while start > max(0, end - _MAX_ARGUMENT) and line[start - 1].key not in BREAKS:
        if line[start - 1].key in {"and", "or", "be"}:
            break
        start -= 1
    patient = line[start:end]
    return patient if any(step.content for step in patient) else ()


def _lead_last(line: Line) -> Line:
    """``Before the vote, he left`` as ``he left before the vote``."""
    if not line or line[0].key not in _LEADING:
        return ()
    cut = next((index for index, step in enumerate(line) if step.key == ","), 0)
    return (*line[cut + 1 :], *line[:cut]) if cut else ()


def _own_last(line: Line) -> Line:
    """``Lee's manager`` as ``manager of Lee``, if the phrase ends there."""
    mark = next((index for index, step in enumerate(line) if step.key == "'s"), 0)
    start = mark
    while start > max(0, mark - _MAX_OWNER) and line[start - 1].content:
        start -= 1
    end = mark + 1
    while end < len(line) and line[end].content:
        end += 1
    if start == mark or not 0 < end - mark - 1 <= _MAX_OWNED:
        return ()
    joint = replace(line[mark], key="of")
    return (*line[:start], *line[mark + 1 : end], joint, *line[start:mark], *line[end:])


def _swap_sides(line: Line, words: Words) -> Line:
    """``the mother of Anna is Eva`` as ``Eva is the mother of Anna``."""
    be = next((index for index, step in enumerate(line) if step.key == "be"), 0)
    left, right = line[:be], line[be + 1 :]
    if not any(step.key == "of" for step in left) or not right:
        return ()
    if not all(step.content for step in right) or any(step.key in BREAKS for step in left):
        return ()
    if not words.words[right[0].place].capital:
        return ()
    return (*right, line[be], *left)
