"""A cache of what was read: many short texts beside few long ones.

A premise meets many claims, each of which is short. In one cache the claims would push the premise
out, and it would be read again for each of them.
"""

from __future__ import annotations

from functools import lru_cache, wraps
from inspect import signature
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

#: Up to so many characters a text is short: some hundred words.
_SHORT = 600
#: How many of each are kept: a megabyte of memory or two for the short ones.
_LONG_KEPT, _SHORT_KEPT = 4, 32


class _Text(Protocol):
    @property
    def text(self) -> str: ...


_T = TypeVar("_T", bound="str | _Text")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def keep_last(
    read: Callable[Concatenate[_T, _P], _R],
) -> Callable[Concatenate[_T, _P], _R]:
    """Keep what was read of the last texts, the first argument; the others must be hashable."""
    of_long = lru_cache(maxsize=_LONG_KEPT)(read)
    of_short = lru_cache(maxsize=_SHORT_KEPT)(read)
    others = [
        each
        for each in list(signature(read).parameters.values())[1:]
        if each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    # One for each parameter without a default: never taken, for a call gives those.
    defaults = tuple(each.default for each in others)

    @wraps(read)
    def kept(text: _T, /, *args: _P.args, **options: _P.kwargs) -> _R:
        length = len(text if isinstance(text, str) else text.text)
        chosen = of_short if length <= _SHORT else of_long
        # A default that is given and one that is left out are one reading, not two.
        given = args if options else (*args, *defaults[len(args) :])
        return chosen(text, *given, **options)  # type: ignore[arg-type]  # lru_cache knows no kinds

    return kept
