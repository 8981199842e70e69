"""What an annotation selects, as a reader of web annotations finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def find_selected(annotation: Mapping[str, Any], text: str) -> str | None:
    """The words that an annotation selects in the text; None where its selectors disagree.

    Only the position decides; quote, prefix and suffix have to agree with it.
    """
    selectors = annotation["target"][0].get("selector", [])
    found = {each["type"]: each for each in selectors}
    position, quote = found.get("TextPositionSelector"), found.get("TextQuoteSelector")
    if position is None or quote is None:
        return None
    start, end = position["start"], position["end"]
    words = text[start:end]
    agrees = (
        words == quote["exact"]
        and text[:start].endswith(quote["prefix"])
        and text[end:].startswith(quote["suffix"])
    )
    return words if agrees else None
