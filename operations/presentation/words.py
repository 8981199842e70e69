"""The words and signs of the console, and how text of others is shown there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

#: Worst first: what a citation with several verdicts, or a page of them, comes to.
OUTCOMES: Final = ("fail", "error", "review", "pass")
#: A sign beside every word, so that colour is never the only signal.
SIGNS: Final = {
    "pass": "✓",
    "fail": "✗",
    "review": "?",
    "error": "!",
    "orphan": "∅",
    "unused": "–",
}

MEANINGS: Final = {
    "identity": {
        "MATCH": "The document is the one cited: the whole hash agrees.",
        "HASH_MISMATCH": "The document is not the one cited: the hashes differ.",
        "UNKNOWN_DOCUMENT": "No such document is kept here.",
        "UNKNOWN_EXTRACTION": "The document is known, the extraction that is cited is not.",
        "SUPERSEDED": "The name stands for a newer version of the document now.",
        "SNIPPET": "The text came with the request; no document stands behind it.",
    },
    "chunk": {
        "MATCH": "The span lies in the chunk that the citation names.",
        "MISMATCH": "The span does not lie in the chunk that the citation names.",
        "UNKNOWN_INDEX": "The chunk that the citation names is not known.",
    },
    "existence": {
        "EXACT": "The quote stands there, character for character.",
        "FOLD_EQUAL": "The quote stands there; only the listed folds differ.",
        "EDITORIAL": "The quote stands there; only the edits listed were made in writing.",
        "MOVED": "The quote stands elsewhere in the document than the offsets say.",
        "AMBIGUOUS": "The quote stands in several places and the offsets choose none.",
        "MISATTRIBUTED": "The quote stands in another of the supplied documents.",
        "STITCHED": "The quote is pieced together from separate places.",
        "ALTERED": "The document says it otherwise: the difference is shown below.",
        "ABSENT": "The quote stands nowhere in the document.",
        "UNVERIFIABLE": "Nothing to compare: the document has no text there, or nothing is quoted.",
        "NOT_RUN": "Not checked, because the identity failed. This is not a pass.",
    },
    "locator": {
        "MATCH": "The page and box that the answer gives hold the span.",
        "MISMATCH": "The page or box that the answer gives does not hold the span.",
        "NOT_GIVEN": "The answer gives no page or box.",
        "NO_LAYOUT": "This document has no page geometry.",
        "NOT_RUN": "Not checked: there is no span to look for. This is not a pass.",
    },
    "support": {
        "ENTAILED": "The span entails the claim, in the model's judgement.",
        "NEUTRAL": "The span neither entails nor contradicts the claim.",
        "CONTRADICTED": "The span contradicts the claim.",
        "BORDERLINE": "Too close to the threshold to decide: a person should read it.",
        "NOT_RUN": "Not checked. This is not a pass.",
    },
    "attribution": {
        "HERE": "The cited span itself supports the claim.",
        "ELSEWHERE": "Not the cited span but another supplied one supports the claim.",
        "NOWHERE": "No supplied span supports the claim.",
        "NOT_RUN": "Not checked. This is not a pass.",
    },
}

_TONES: Final = {
    "MATCH": "pass",
    "EXACT": "pass",
    "FOLD_EQUAL": "pass",
    "EDITORIAL": "pass",
    "ENTAILED": "pass",
    "HERE": "pass",
    "HASH_MISMATCH": "fail",
    "MISATTRIBUTED": "fail",
    "STITCHED": "fail",
    "ALTERED": "fail",
    "ABSENT": "fail",
    "CONTRADICTED": "fail",
    "NEUTRAL": "fail",
    "NOWHERE": "fail",
    "MISMATCH": "review",
    "MOVED": "review",
    "AMBIGUOUS": "review",
    "BORDERLINE": "review",
    "ELSEWHERE": "review",
    "SUPERSEDED": "review",
    "UNKNOWN_INDEX": "none",
    "NOT_GIVEN": "none",
    "NO_LAYOUT": "none",
}

#: What stands in the panel of every answer page, and in the README.
NOT_PROVED: Final = (
    ("That the source is true.", "A quote can stand in a document that is wrong."),
    (
        "That the operator logged everything.",
        "Nothing here speaks for answers that were never submitted.",
    ),
    (
        "That the model is right.",
        "Entailment is a model's opinion; a person should read the span.",
    ),
    ("That anyone complies with a law.", "This is evidence for a review, never its result."),
    (
        "That the model used the cited text.",
        "It may have written from elsewhere and cited afterwards: attribution is not cause.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One of the four questions (and the locator): its status, what that means, how it looks."""

    name: str
    status: str
    meaning: str
    tone: str


def describe_axis(name: str, status: str, *, reason: str | None = None) -> Axis:
    """The axis in words. A status that is not known here looks like an error, never like a pass."""
    meaning = MEANINGS[name].get(status, "A status that this console does not know.")
    return Axis(
        name=name,
        status=f"{status} ({reason})" if reason else status,
        meaning=meaning,
        tone=_TONES.get(status, "error"),
    )


def find_worst(outcomes: list[str]) -> str:
    """The worst outcome of a list; ``error`` for an empty list and for an unknown word."""
    known = [outcome if outcome in OUTCOMES else "error" for outcome in outcomes]
    return min(known, key=OUTCOMES.index, default="error")


#: Controls but tab and newline, soft hyphen, zero-width and bidirectional controls: an auditor must
#: see that they are there. Joiners (ZWJ, ZWNJ) stay: scripts and emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)
_NAMES = {"\f": "page break", "\r": "carriage return", "\xad": "soft hyphen"}


def show_text(text: str) -> Markup:
    """Escape every character; put a labelled chip in the place of each that cannot be seen."""
    parts: list[Markup] = []
    position = 0
    for found in _HIDDEN.finditer(text):
        parts.append(escape(text[position : found.start()]))
        parts.append(_chip(found.group()))
        position = found.end()
    parts.append(escape(text[position:]))
    return Markup("").join(parts)


def _chip(character: str) -> Markup:
    code = f"U+{ord(character):04X}"
    name = _NAMES.get(character, "hidden character")
    return Markup('<span class="hidden-character" title="{} {}">{}</span>').format(
        name, code, "page break" if character == "\f" else code
    )
