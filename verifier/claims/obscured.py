r"""Characters of a claim that a reader does not see, or takes for others: a person must look.

A reader of "nоt" with a Cyrillic о, "n\u200bot" or "~~not~~" sees other words than the model. Not
counted: what scripts, units and emoji need (joiners of Persian, "µg", "10⁶", "1ˢᵗ", a flag).
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

from spanproof.verifier.claims.unread import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.citation import Claim
    from spanproof.core.span import Span

_ALL_ASCII = re.compile(r"[ -;=?-}\r\n\t]*")
_UNSEEN = re.compile(rf"[{INVISIBLE}\u2800]")
_JOINERS = "\u200c\u200d"
_MARKS_OF_DIRECTION = "\u061c\u200e\u200f"
_WORD = re.compile(r"[^\W\d_]+")
#: Letters of Greek and Cyrillic that look like Latin ones. "µ", "α" and "χ" are used as themselves.
_GREEK = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυκι")
_CYRILLIC = frozenset("аеосрхуіјѕһԁԛԝАВЕНІЈКМОРЅСТХУҮ")
#: Letters and digits of other shapes: mathematical, wide, raised in a row, in circles, keycaps.
_SHAPED = re.compile(
    "[\U0001d400-\U0001d7ff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"
    r"|(?<![\d])[ᴬ-ᵪⁱⁿₐ-ₜʰ-ʸˡ-ˣ]{2,}|[\u2460-\u24ff\u2776-\u2793]{2}|[\u2160-\u2188](?=\d)"
    r"|(?<!1)\d⁰|\u20e3|\d\ufe0f"
)
#: Marks that strike a letter through or enclose it, and heaps of marks.
_OVERLAID = re.compile(r"[\u0334-\u0338\u20d0-\u20f0]|[\u0300-\u036f]{3}|(?<=[0-9])[\u0300-\u036f]")
_SPACED = re.compile(r"(?<![\w.'’-])(?:[a-z][ \u00a0\u2000-\u200a\u202f]){2,}[a-z](?![\w'’-])")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_MARKUP = re.compile(
    r"<!--|</?(?:del|s|strike|script|style|template|noscript)\b"
    r"|<[a-z][^<>]{0,200}\b(?:hidden|style|class)\b|(?<=[^\W_])<(?!/?su[bp]\b|br\b)/?[a-z][^<>]{0,80}>"
    r"(?:</?[a-z][^<>]{0,80}>){0,4}(?=[^\W_])",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31});", re.IGNORECASE)


def find_obscured(claims: Iterable[Claim]) -> frozenset[Span]:
    """The spans of the claims that are obscured; a claim of many citations is read once."""
    texts = {claim.span: claim.text for claim in claims}
    return frozenset(span for span, text in texts.items() if is_obscured(text))


def is_obscured(text: str) -> bool:
    """Whether a reader may read other words in a claim than the model does."""
    if "&" in text:
        decoded = [html.unescape(match.group()) for match in _ENTITY.finditer(text)]
        if any(each.isascii() and each.isalnum() for each in decoded):
            return True
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    if _STRUCK.search(text) or _SPACED.search(text) or ("<" in text and _MARKUP.search(text)):
        return True
    if _ALL_ASCII.fullmatch(text) or text.isascii():
        return False
    return (
        any(not _is_usual(text, match.start()) for match in _UNSEEN.finditer(text))
        or bool(_SHAPED.search(text))
        or bool(_OVERLAID.search(text))
        or _mixes_scripts(text)
    )


def _is_usual(text: str, at: int) -> bool:
    """Whether an invisible character is one that its script, or an emoji, needs."""
    letter = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if letter in _JOINERS:
        # Between letters without Latin ones, or inside an emoji.
        return all(
            each and not each.isascii() and _script(each) != "LATIN" for each in (before, after)
        )
    if letter in _MARKS_OF_DIRECTION:
        return any(unicodedata.bidirectional(each) in {"R", "AL"} for each in text)
    if "\ufe00" <= letter <= "\ufe0f":
        return bool(before) and unicodedata.category(before) in {"So", "Sm", "Sk", "Po"}
    return False


def _mixes_scripts(text: str) -> bool:
    scripts = [_script(letter) for letter in text if letter.isalpha()]
    is_latin = scripts.count("LATIN") * 2 > len(scripts)
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii():
            continue
        found = {_script(letter) for letter in word}
        if "LATIN" in found and (
            found & {"CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC"} or not _GREEK.isdisjoint(word)
        ):
            return True
        if is_latin and (set(word) <= _CYRILLIC or (set(word) <= _GREEK and len(word) > 1)):
            return True
    return False


def _script(letter: str) -> str:
    """The first word of a letter's name, which names its script."""
    return unicodedata.name(letter, "").split(" ", 1)[0]
