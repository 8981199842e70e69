"""What "it", "they" and "the pass" mean where the sentence before leaves one reading only.

"The axolotl is a salamander. It keeps its gills": the axolotl does. "Starters get a building pass.
The pass must be worn": the building pass. Where a second thing may be meant ("the museum bought a
painting; it was restored") nothing is written out.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import ALL_BASES, AUXILIARIES, BE, FINITE
from spanproof.verifier.language.plain_words import DENIALS
from spanproof.verifier.language.word_forms import is_plural, root_of
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.small_words import DETERMINERS, OTHERWISE, PREPOSITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MODALS = AUXILIARIES - BE - {"has", "have", "had"}
#: A subject has at most so many words, and a noun so many before it.
_MAX_SUBJECT, _MAX_BEFORE = 6, 3
_WORD = re.compile(r"[\w’'-]+|[^\w\s]")
#: "It is known that", "it is forbidden to": "it" means nothing before.
_EMPTY_IT = re.compile(
    r"\b[Ii]t (?:is|was|will be|has been) (?:not )?(?:[a-z]+ ){0,3}(?:that|whether)\b|"
    r"\b[Ii]t (?:is|was|will be) (?:not |also )?(?:possible|important|necessary|easy|hard|"
    r"difficult|forbidden|allowed|permitted|prohibited|illegal|legal|unlawful|advisable|recommended|"
    r"an offence|unknown) (?:to|for|whether|how)\b"
)
_PRONOUN = re.compile(
    r"(?P<front>(?:[A-Z][^,;:?\"“”]{2,60}, )?)(?P<pronoun>[Ii]t|[Tt]hey|[Ii]ts|[Tt]heir) (?=[a-z])"
)
#: A thing in what stands before the pronoun may be meant by it.
_ANOTHER = re.compile(r"\b(?:an?|the|this|its|another|one)\b|(?<!^)\b[A-Z]")
_DEFINITE = re.compile(
    r"\b(?P<the>[Tt]he|[Tt]his|[Tt]hese|[Ss]uch) (?P<noun>[a-z][a-z-]+)"
    r"(?= (?:is|are|was|were|has|have|had|must|may|can|cannot|shall|should|will|would|does|do|took|"
    r"of|in|on|at|for|to|from|with|by|and|or|\w+ed|\w+s)\b|[,.]|$)"
)


def write_antecedents(sentences: Sequence[str]) -> Iterator[str]:
    """Each sentence with what a pronoun or a noun means of the sentence before it."""
    for before, sentence in pairwise(sentences):
        found = _PRONOUN.match(sentence)
        if found is not None and not _EMPTY_IT.search(sentence):
            plural = found["pronoun"].lower().startswith("the")
            subject = _find_subject(before, plural=plural)
            if subject and not _ANOTHER.search(found["front"]):
                yield _replace(subject, found, sentence)
        for noun in _DEFINITE.finditer(sentence):
            for told in _find_kinds(before, noun["noun"]):
                the = "the" if noun["the"][0].islower() else "The"
                yield f"{sentence[: noun.start()]}{the} {told}{sentence[noun.end() :]}"


def _replace(subject: str, found: re.Match[str], sentence: str) -> str:
    owns = ""
    if found["pronoun"].lower() in {"its", "their"}:
        owns = "’" if subject.endswith("s") else "’s"
    if found["front"] and subject.split(maxsplit=1)[0] in {"The", "This", "A", "An"}:
        subject = f"{subject[0].lower()}{subject[1:]}"
    return f"{found['front']}{subject}{owns} {sentence[found.end() :]}"


def _find_subject(sentence: str, *, plural: bool) -> str:
    """The subject of a sentence that names no other thing which a pronoun may mean; or nothing."""
    words = _WORD.findall(sentence)
    verbs = FINITE | ALL_BASES if plural else FINITE
    end = next((at for at, word in enumerate(words[: _MAX_SUBJECT + 1]) if at and word in verbs), 0)
    subject = words[:end]
    if not subject or any(not re.match(r"\w", word) for word in subject):
        return ""
    if subject[0].lower() in PREPOSITIONS | DENIALS | {"if", "when", "there", "it", "he", "she"}:
        return ""
    head = next((at for at, word in enumerate(subject) if at and word in PREPOSITIONS), end)
    if is_plural(subject[head - 1].lower()) != plural or "and" in subject:
        return ""
    return " ".join(subject) if _names_nothing_else(words[end:], plural=plural) else ""


def _names_nothing_else(words: list[str], *, plural: bool) -> bool:
    """Whether a predicate says what the subject is or undergoes, or has no object like it."""
    verb = next((at for at, word in enumerate(words) if word not in _MODALS | {"not", "also"}), 0)
    if words[verb] in BE or words[verb] == "be":
        return True
    obj: list[str] = []
    for word in words[verb + 1 :]:
        if word in PREPOSITIONS or not re.match(r"\w", word):
            break
        obj.append(word)
    if plural:
        return not any(is_plural(word) for word in obj)
    return not any(word in DETERMINERS | {"another", "one"} or word[0].isupper() for word in obj)


def _find_kinds(sentence: str, noun: str) -> Iterator[str]:
    """A noun with the words before it that tell which one it is, if the sentence has one of it."""
    words = _WORD.findall(sentence)
    places = [at for at, word in enumerate(words) if root_of(word.lower()) == root_of(noun)]
    if len(places) != 1 or not DENIALS.isdisjoint(words):
        return
    place = start = places[0]
    while start and place - start < _MAX_BEFORE and _tells_kind(words[start - 1]):
        start -= 1
    if start < place and (not start or words[start - 1].lower() in DETERMINERS | PREPOSITIONS):
        kinds = [
            word if at else word[0].lower() + word[1:] for at, word in enumerate(words[start:place])
        ]
        yield f"{' '.join(kinds)} {noun}"


def _tells_kind(word: str) -> bool:
    return (
        word.isalpha()
        and word.islower()
        and word not in FINITE | PREPOSITIONS | DETERMINERS | OTHERWISE | {"and", "or", "new"}
        and not (is_participle(word) and word.endswith("ed"))
    )
