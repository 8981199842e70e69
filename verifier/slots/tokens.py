"""The protected tokens of a text, kept for the last few texts: one premise meets many claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.protected import find_protected

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.protected import ProtectedToken


@keep_last
def read_tokens(text: str, locale: Locale = "en") -> tuple[ProtectedToken, ...]:
    """The tokens that ``find_protected`` finds."""
    return find_protected(text, locale=locale)
