"""What a premise says in a form that a claim may not have: each such sentence by itself.

"A, B and C cost 1, 2 and 3, respectively" says that B costs 2; "No dogs are allowed" that dogs are
not; a lead-in and one item below it are one sentence. A claim is compared with such a sentence as
with one of the premise. Only what any reader takes from the form alone is written out, so
a sentence that is quoted, denied, asked or conditional is left as it is.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import TYPE_CHECKING

from spanproof.verifier.readings.antecedents import write_antecedents
from spanproof.verifier.readings.comparisons import write_comparison
from spanproof.verifier.readings.converses import write_converse
from spanproof.verifier.readings.defined import write_defined
from spanproof.verifier.readings.instructions import (
    write_command,
    write_definite,
    write_duty,
    write_order,
    write_warning,
)
from spanproof.verifier.readings.recast import recast, write_bare
from spanproof.verifier.readings.sentences import is_governed, split_short
from spanproof.verifier.readings.subjects import write_relative, write_subjects, write_titles
from spanproof.verifier.readings.voices import (
    write_apposed,
    write_covered,
    write_passive,
    write_unadvised,
)
from spanproof.verifier.slots.roles.lines import is_participle

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = re.compile(
    r"\s*(?:(?:and|or) (?=\())?(?:[-*•–‣▪]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+(?=\S)"
)
#: "The tenant shall (a) pay the rent, (b) insure": a colon is left out.
_OPENED = re.compile(r"\b(shall|must|may|not)(?= \((?:a|i|1)\) )")
#: "(a) damage by water; (b) wear": items on the line that leads in.
_INLINE = re.compile(r"(?<=[:;,]) (?=(?:and |or )?\((?:\d{1,2}|[a-z]|[ivx]{1,4})\) )|(?<=: )(?=- )")
_FOLLOWING = re.compile(
    r"\b(?:(?:all|each|every one) of )?the following"
    r"(?:(?: [a-z]+)??(?= (?:is|are|was|were|must|may|can|cannot|shall|should|will|"
    r"do|does|apply|applies|count|counts|have|has)\b)|"
    r"(?: [a-z]+){0,2}$)",
    re.IGNORECASE,
)
#: Of such a list not each item holds, or not by itself.
_CHOICE = re.compile(
    r"\b(?:one of|any of|either|at least|at most|some of|two of|three of|or|unless|if|when|where|"
    r"most of|choose|select|not all|example|exceptions?|except|only|total|together|both)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|no|cannot|prohibited|forbidden|without)\b", re.IGNORECASE)
_JOINT = re.compile(r"[;,]?\s*\b(and|or)\s*$|[;,.]\s*$", re.IGNORECASE)
#: A line that leads in is short, and so is a list.
_MAX_LEAD, _MAX_ITEMS = 300, 60


def write_items(lines: str) -> Iterator[str]:
    """The line that leads in with each of its items; none of a list of choices."""
    lead, items = "", list[str]()
    for line in [*_INLINE.sub("\n", _OPENED.sub(r"\1:", lines)).splitlines(), "", "."]:
        mark = _MARK.match(line)
        if mark is not None:
            items.append(line[mark.end() :].strip())
        elif items and line[:1].islower():
            items[-1] += f" {line.strip()}"
        elif items:
            if not line.strip():
                continue
            yield from _join(lead, items)
            lead, items = line.strip(), []
        elif line.strip():
            lead = f"{lead} {line.strip()}" if lead[-1:] not in {"", ".", ":"} else line.strip()


def _join(lead: str, items: list[str]) -> Iterator[str]:
    if not lead.endswith(":") or len(lead) > _MAX_LEAD or not 0 < len(items) <= _MAX_ITEMS:
        return
    joints = [_JOINT.search(item) for item in items]
    ends_in_or = any(j is not None and (j[1] or "").lower() == "or" for j in joints)
    # "Must not: climb, or swim" forbids each.
    if _CHOICE.search(lead) or (ends_in_or and not _DENIED.search(lead)):
        return
    text = re.split(r"(?<=[.!?])\s+", lead.removesuffix(":").strip())[-1]
    following = _FOLLOWING.search(text)
    for item, joint in zip(items, joints, strict=True):
        words = item if joint is None else item[: joint.start()]
        if following is None:
            yield f"{text} {words}."
        else:
            yield f"{text[: following.start()]}{words}{text[following.end() :]}."


_RESPECTIVELY = re.compile(r"\s*[,(]?\s*\brespectively\b\)?(?:,(?=\s))?", re.IGNORECASE)
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
#: Lists of names, of amounts, of single words: a list is of the first kind that all items have.
_KINDS = tuple(
    re.compile(rf"(?:{item})(?:, (?:{item}))*,? and (?:{item})")
    for item in (
        r"(?:[$€£]\s?|[A-Z]{3} )?[-+−]?\d(?:[\d.,]*\d)?(?:\s?%| per cent)?",
        rf"(?:\b[Tt]he )?\b{_CAPITAL}(?: (?:(?:of|de|von|van|du|da) )?{_CAPITAL})*",
        r"(?:^[A-Z]|\b[a-z])[\w’'-]*",
    )
)
#: A bracket or a second clause holds another statement, whose list is not of these pairs.
_OTHER = re.compile(r"[;:()]|\b(?:while|whereas|but)\b")
_LISTS = 2


def write_pairs(sentence: str) -> Iterator[str]:
    """One sentence for each pair of a sentence with two lists of equal length."""
    if len(_RESPECTIVELY.findall(sentence)) != 1 or _OTHER.search(sentence):
        return
    text = _RESPECTIVELY.sub("", sentence)
    lists = _find_lists(text)
    if len(lists) != _LISTS:
        return
    (first, ours), (second, theirs) = lists
    if len(ours) != len(theirs):
        return
    for one, other in zip(ours, theirs, strict=True):
        between = text[first[1] : second[0]]
        yield text[: first[0]] + one + between + other + text[second[1] :]


def _find_lists(text: str) -> list[tuple[tuple[int, int], list[str]]]:
    """All lists of a sentence, of every kind: where each stands, and its items."""
    found: list[tuple[tuple[int, int], list[str]]] = []
    for kind in _KINDS:
        for match in kind.finditer(text):
            place = match.span()
            if all(place[1] <= start or end <= place[0] for (start, end), _ in found):
                things = re.split(r",? and |, ", match.group())
                found.append((place, things))
    return sorted(found)


_AMOUNT = (
    r"(?P<{0}mark>(?:[$€£]|[A-Z]{{3}} )?\s?)(?P<{0}>\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)"
    r"(?P<{0}unit>(?: [a-z]+){{0,3}}?)"
)
_TIME = r"(?: (?P<{0}time>(?:in|at|on) (?:[A-Z][a-z]+(?: \d{{4}})?|\d{{4}})))?"
_CHANGE = re.compile(
    r"(?P<what>[^,;:]{1,120}?) (?P<verb>"
    r"rose|grew|increased|climbed|went up|fell|dropped|decreased|declined|went down|shrank)"
    rf" from {_AMOUNT.format('a')}{_TIME.format('a')}"
    rf" to {_AMOUNT.format('b')}{_TIME.format('b')}\.?"
)
_FALLS = frozenset({"fell", "dropped", "decreased", "declined", "went down", "shrank"})
_DIGITS = Decimal("0.0001")


def write_changes(sentence: str) -> Iterator[str]:
    """To what it rose or fell, and by how many per cent, if that is what the two amounts say."""
    found = _CHANGE.fullmatch(sentence)
    if found is None:
        return
    time = f" {found['btime']}" if found["btime"] else ""
    yield f"{found['what']} {found['verb']} to {found['bmark']}{found['b']}{found['bunit']}{time}."
    if found["amark"] != found["bmark"]:
        return
    units = {found["aunit"].strip(), found["bunit"].strip()} - {""}
    try:
        first, last = (Decimal(found[name].replace(",", "")) for name in "ab")
    except InvalidOperation:
        return
    # "From 3 to 5 per cent" is a rise by two points, which is not called one by 67 per cent.
    if len(units) > 1 or not first or any("cent" in unit for unit in units):
        return
    if (last < first) != (found["verb"] in _FALLS) or first == last:
        return
    share = (abs(last - first) / first * 100).quantize(_DIGITS).normalize()
    start, end = (re.sub(r"^\w+ ", "", found[name] or "") for name in ("atime", "btime"))
    times = (f" from {start} to {end}", f" between {start} and {end}") if start and end else ("",)
    for time in times:
        yield f"{found['what']} {found['verb']} by {share:f} %{time}."


#: "No smoking is allowed in the hall": one thing, and nothing that qualifies it.
_NO = re.compile(
    r"No (?P<what>[a-z][\w’'-]*(?: (?:or|and) [a-z][\w’'-]*)?) "
    r"(?P<be>is|are|was|were|will be) (?P<rest>(?:allowed|permitted|tolerated)\b[^,;:]*)"
)
#: "It is open daily except on Mondays".
_OPEN = re.compile(
    r"(?P<what>[^,;:]{1,80}?) (?P<be>is|are|was|were) open\b(?P<when>[^;]*?),? "
    r"(?:except|excluding|apart from|other than|but not)(?: for)? "
    r"(?P<days>(?:(?:on|in|at|during) )?[\w’' ]+?)\.?"
)


def write_denials(sentence: str) -> Iterator[str]:
    """What is denied of a thing, told of the thing."""
    found = _NO.fullmatch(sentence.rstrip(". "))
    if found is not None:
        rest = re.sub("^(?:allowed|permitted|tolerated)", "prohibited", found["rest"])
        yield f"{found['what'].capitalize()} {found['be']} {rest}."
        yield f"{found['what'].capitalize()} {found['be']} not {found['rest']}."
    found = _OPEN.fullmatch(sentence)
    if found is not None:
        yield f"{found['what']} {found['be']} closed {found['days']}."
        yield f"{found['what']} {found['be']} not open {found['days']}."


_THING = r"(?:[Tt]he )?[\w’'-]+(?: [\w’'-]+){0,2}"
_ALIKE = re.compile(
    rf"(?P<things>{_THING}(?:, {_THING})+,? and {_THING}) (?P<be>are|were|have been|had been) "
    r"(?P<verb>[a-z]+)(?P<rest> [^,;:()]*)?\.?"
)
#: What several do or undergo with each other, in sum, or each in another way.
_TOGETHER = re.compile(
    r"\b(?:together|each|other|another|one|both|between|among|joint\w*|merged|combined|united|"
    r"married|mixed|compared|divided|separated|joined|linked|connected|grouped|named|called|known|"
    r"respectively|total|altogether|but|while|whereas|or|only)\b"
)


def write_members(sentence: str) -> Iterator[str]:
    """One sentence for each thing of a list that undergoes the same."""
    found = _ALIKE.fullmatch(sentence)
    if found is None or _TOGETHER.search(sentence) or not is_participle(found["verb"]):
        return
    for thing in re.split(r",? and |, ", found["things"]):
        yield f"{thing} {found['be']} {found['verb']}{found['rest'] or ''}."


#: A premise of more characters is a passage; and so many of its sentences are enough.
_MAX_CHARACTERS, _MAX_WRITTEN = 20_000, 200


def is_passage(premise: str) -> bool:
    """Whether a premise is too long for its other forms to be sought."""
    return len(premise) > _MAX_CHARACTERS


def write_out(premise: str, lines: str = "") -> tuple[str, ...]:
    """The sentences that a premise says besides its own words, each once.

    ``lines`` is the premise with its line ends.
    """
    if is_passage(premise):
        return ()
    sentences = split_short(premise)
    found = chain(
        write_items(lines),
        write_subjects(sentences),
        write_defined(sentences),
        write_antecedents(sentences),
        *(write_unadvised(sentence) for sentence in sentences),
        *(write_order(sentence) for sentence in sentences),
        *(
            write(sentence)
            for sentence in sentences
            if not is_governed(sentence)
            for write in (
                write_pairs,
                write_members,
                write_denials,
                write_changes,
                write_titles,
                write_relative,
                write_apposed,
                write_passive,
                write_covered,
                write_duty,
                write_definite,
                write_comparison,
                write_converse,
            )
        ),
        *(
            write(sentence)
            for sentence in sentences
            for write in (write_bare, write_command, write_warning)
        ),
    )
    return tuple(dict.fromkeys(found))[:_MAX_WRITTEN]


def write_reordered(premise: str) -> tuple[str, ...]:
    """The sentences of a premise in another order: only their own order says what they say."""
    if is_passage(premise):
        return ()
    found = chain.from_iterable(recast(sentence) for sentence in split_short(premise))
    return tuple(dict.fromkeys(found))[:_MAX_WRITTEN]
