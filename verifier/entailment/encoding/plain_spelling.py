"""The spelling that English texts prefer: months and negations in full, small counts in words."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.language.lexicon import Locale

#: Up to here texts spell out what they count.
_SPELLED_OUT = 12
#: What follows a count (``5 people``, ``5 young dogs``), and no label (``Section 5``).
_COUNTED = re.compile(r"[ -](?:[a-z]+ )?[a-z]+s\b")
_PERCENT = re.compile(r"(?<=\d)\s*(?:percent|per\scent|pct)\b", re.IGNORECASE)
_SPACED_PERCENT = re.compile(r"(?<=\d)\s+(?=%)")
_SHORT_MONTH = re.compile(r"\b([A-Z][a-z]{2,3})\b\.?(?=,?\s\d)")
_CONTRACTION = re.compile(r"\b([A-Za-z]+)n['’]t\b")
_STEMS: Mapping[str, str] = MappingProxyType({"ca": "can", "wo": "will", "sha": "shall"})
#: What ``n't`` may follow; ``ain't`` stands for several verbs.
_VERBS = frozenset(
    {"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "will", "would", "can"}
    | {"could", "shall", "should", "must", "might", "need"}
)


def spell_plainly(text: str, *, locale: Locale = "en") -> str:
    """Contractions written out, months in full, per cent as a sign."""
    del locale  # English is the only language whose spellings are known here.
    text = _CONTRACTION.sub(_expand, text)
    text = _SPACED_PERCENT.sub("", _PERCENT.sub("%", text))
    return _SHORT_MONTH.sub(_name_month, text)


def spell_count(written: str, amount: str, after: str, *, locale: Locale = "en") -> str:
    """A whole number in words up to twelve where it counts something, a larger one in digits."""
    if not amount.isdigit():
        return written
    value = int(amount)
    if value > _SPELLED_OUT:
        return written if written[0].isdigit() else amount
    if not written.isdigit() or not _COUNTED.match(after):
        return written
    return _words_of(locale)[value]


def _expand(match: re.Match[str]) -> str:
    stem = match[1]
    verb = _STEMS.get(stem.lower(), stem.lower())
    if verb not in _VERBS:
        return match[0]
    verb = verb.capitalize() if stem[0].isupper() else verb
    return f"{verb}not" if verb.lower() == "can" else f"{verb} not"


def _name_month(match: re.Match[str]) -> str:
    full = _months().get(match[1].lower())
    return full if full is not None else match[0]


@cache
def _months() -> Mapping[str, str]:
    names = [month.capitalize() for month in lexicon_of("en").months if len(month) > 3]
    short = {name[:3].lower(): name for name in names}
    return {**short, "sept": "September"}


@cache
def _words_of(locale: Locale) -> Mapping[int, str]:
    return {value: word for word, value in lexicon_of(locale).cardinals.items()}
