"""A text of numbered clauses, and changes of it whose truth is known for every span."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable

_SUBJECTS = ("supplier", "buyer", "carrier", "insurer", "lender", "tenant", "auditor", "trustee")
_VERBS = ("deliver", "inspect", "repay", "insure", "return", "disclose", "store", "release")
_OBJECTS = ("goods", "records", "deposit", "premises", "samples", "certificates", "vehicles")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutated:
    """A changed text; ``truth`` maps each clause's number to its place now, None where gone."""

    kind: str
    text: str
    truth: dict[int, Span | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """A text of paragraphs, one clause each, and the span of each clause."""

    text: str
    spans: tuple[Span, ...]

    @classmethod
    def draw(cls, count: int, seed: int) -> Clauses:
        """``count`` clauses, some of them repeated word for word as contracts do."""
        rng = random.Random(seed)  # noqa: S311 - drawn examples
        sentences: list[str] = []
        for number in range(count):
            if number > 10 and rng.random() < 0.1:
                sentences.append(rng.choice(sentences))
                continue
            days, rate = rng.randrange(3, 90), rng.randrange(100, 999)
            sentences.append(
                f"The {rng.choice(_SUBJECTS)} shall not {rng.choice(_VERBS)} the"
                f" {rng.choice(_OBJECTS)} within {days} days of notice {rate}, unless the"
                f" {rng.choice(_SUBJECTS)} agrees in writing before day {rng.randrange(31)}."
            )
        return join(sentences)


def join(sentences: list[str]) -> Clauses:
    """The clauses as paragraphs."""
    spans, at = [], 0
    for sentence in sentences:
        spans.append(Span(at, at + len(sentence)))
        at += len(sentence) + 2
    return Clauses(text="\n\n".join(sentences), spans=tuple(spans))


def _sentences(clauses: Clauses) -> list[str]:
    return [clauses.text[span.start : span.end] for span in clauses.spans]


def _rebuild(kind: str, sentences: list[tuple[int | None, str]]) -> Mutated:
    built = join([sentence for _, sentence in sentences])
    truth: dict[int, Span | None] = {}
    for (number, _), span in zip(sentences, built.spans, strict=True):
        if number is not None:
            truth[number] = span
    return Mutated(kind=kind, text=built.text, truth=truth)


def _edit(clauses: Clauses, chosen: int, kind: str, edit: Callable[[str], str]) -> Mutated:
    """One clause is reworded: its old words must not be accepted anywhere."""
    rows: list[tuple[int | None, str]] = list(enumerate(_sentences(clauses)))
    made = _rebuild(kind, [(n, edit(s) if n == chosen else s) for n, s in rows])
    return Mutated(kind=kind, text=made.text, truth=made.truth | {chosen: None})


def mutate(clauses: Clauses, kind: str, rng: random.Random) -> Mutated:
    """One change of the named kind."""
    rows: list[tuple[int | None, str]] = list(enumerate(_sentences(clauses)))
    chosen = rng.randrange(len(rows))
    sentence = rows[chosen][1]
    if kind == "digit_swap":
        digits = [at for at, c in enumerate(sentence) if c.isdigit()]
        at = rng.choice(digits)
        other = str((int(sentence[at]) + rng.randrange(1, 10)) % 10)
        return _edit(clauses, chosen, kind, lambda s: s[:at] + other + s[at + 1 :])
    if kind == "dropped_not":
        return _edit(clauses, chosen, kind, lambda s: s.replace(" shall not ", " shall ", 1))
    if kind == "paragraph_duplicated":
        place = rng.randrange(len(rows) + 1)
        return _rebuild(kind, [*rows[:place], (None, sentence), *rows[place:]])
    if kind == "section_moved":
        section = rows[chosen : chosen + 5]
        rest = rows[:chosen] + rows[chosen + 5 :]
        place = rng.randrange(len(rest) + 1)
        return _rebuild(kind, [*rest[:place], *section, *rest[place:]])
    if kind == "paragraph_deleted":
        made = _rebuild(kind, rows[:chosen] + rows[chosen + 1 :])
        return Mutated(kind=kind, text=made.text, truth=made.truth | {chosen: None})
    if kind == "replaced_and_quoted_elsewhere":
        changed = sentence.replace(" days ", " weeks ")
        edited = [(n, changed if n == chosen else s) for n, s in rows]
        # Not next to it: a new clause there could be either of the two.
        place = rng.choice([at for at in range(len(rows) + 1) if at not in {chosen, chosen + 1}])
        made = _rebuild(kind, [*edited[:place], (None, sentence), *edited[place:]])
        return Mutated(kind=kind, text=made.text, truth=made.truth | {chosen: None})
    if kind == "text_inserted":
        place = rng.randrange(len(rows) + 1)
        new = "This clause is new and says nothing of the others."
        return _rebuild(kind, [*rows[:place], (None, new), *rows[place:]])
    if kind == "respaced":
        return _rebuild(kind, [(n, s.replace(" of notice ", "  of\tnotice ")) for n, s in rows])
    raise ValueError(kind)


KINDS = (
    "digit_swap",
    "dropped_not",
    "paragraph_duplicated",
    "section_moved",
    "paragraph_deleted",
    "replaced_and_quoted_elsewhere",
    "text_inserted",
    "respaced",
)
