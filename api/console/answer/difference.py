"""The difference between a quote and its source as pieces of one line: same, quote, source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Side = Literal["same", "quote", "source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferencePiece:
    """Characters in both, only in the quote, or only in the source.

    ``is_deciding``: the verdict rests on these words of the source.
    """

    side: Side
    text: str
    is_protected: bool = False
    is_deciding: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditView:
    """One edit; ``touches`` are the protected tokens that it changes: side, kind in words, text."""

    quote: str
    source: str
    is_protected: bool
    touches: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceView:
    """``pieces`` read in order give the source without ``quote`` pieces; empty: see ``edits``."""

    pieces: tuple[DifferencePiece, ...]
    edits: tuple[EditView, ...]

    @property
    def touching(self) -> tuple[EditView, ...]:
        """The edits that change a protected token."""
        return tuple(edit for edit in self.edits if edit.touches)


def merge_difference(difference: dict[str, Any] | None, start: int | None) -> DifferenceView | None:
    """Merge the block's edits into the source's words, which begin at ``start``."""
    if difference is None:
        return None
    edits = sorted(difference["edits"], key=lambda edit: (edit["char_start"], edit["char_end"]))
    return DifferenceView(
        pieces=_merge(difference["source"], edits, start),
        edits=tuple(_view_edit(edit) for edit in edits),
    )


def _view_edit(edit: dict[str, Any]) -> EditView:
    return EditView(
        quote=edit["quote"],
        source=edit["source"],
        is_protected=edit["protected"],
        # A block of an earlier procedure names no tokens.
        touches=tuple(
            (token["side"], token["kind"].replace("_", " "), token["text"])
            for token in edit.get("touches", ())
        ),
    )


def _merge(
    source: str, edits: list[dict[str, Any]], start: int | None
) -> tuple[DifferencePiece, ...]:
    if start is None:
        return ()
    pieces: list[DifferencePiece] = []
    position = 0
    for edit in edits:
        low, high = edit["char_start"] - start, edit["char_end"] - start
        # Edits that do not fit the words would show a wrong difference.
        if low < position or source[low:high] != edit["source"]:
            return ()
        pieces.append(DifferencePiece(side="same", text=source[position:low]))
        for side, text in (("quote", edit["quote"]), ("source", edit["source"])):
            pieces.append(
                DifferencePiece(
                    side="quote" if side == "quote" else "source",
                    text=text,
                    is_protected=edit["protected"],
                )
            )
        position = high
    pieces.append(DifferencePiece(side="same", text=source[position:]))
    return tuple(piece for piece in pieces if piece.text)
