"""Time for patterns that are not ours: a pattern that backtracks costs a request no more than this.

The engine counts CPU time of the process, so a busy machine refuses no pattern.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedGrammarError

if TYPE_CHECKING:
    from collections.abc import Callable

    import regex

#: For all that is looked for in one text.
PATTERN_SECONDS = 2.0
#: What is left when that is over: enough for a pattern that does not backtrack.
_LEAST_SECONDS = 0.001
#: For one of the texts that a new pattern is tried on.
TRIAL_SECONDS = 0.2
#: Characters of such a text: more than any token has on one line.
_TRIAL_CHARACTERS = 4000


class Patience:
    """So many seconds for patterns; None: no end."""

    def __init__(self, seconds: float | None) -> None:
        self._left = seconds

    def ask(
        self, look: Callable[..., regex.Match[str] | None], *where: str | int, **more: bool
    ) -> regex.Match[str] | None:
        """What the pattern finds; raise MalformedGrammarError where its time is over."""
        if self._left is None:
            return look(*where, **more)
        began = time.process_time()
        try:
            found = look(*where, timeout=max(self._left, _LEAST_SECONDS), **more)
        except TimeoutError as error:
            msg = f"Expected the pattern of a grammar to read a text in {PATTERN_SECONDS:g} s."
            hint = "Bound what the pattern repeats, and let it not backtrack: {1,40}+."
            raise MalformedGrammarError(msg, hint=hint) from error
        self._left -= time.process_time() - began
        return found


def backtracks(pattern: regex.Pattern[str], example: str) -> bool:
    """Whether a pattern takes too long for a text that is nearly a token, many times over."""
    body = example[:-1]
    trials = {body + one * _TRIAL_CHARACTERS for one in body[-1:] + body[:1]}
    trials |= {body * (_TRIAL_CHARACTERS // max(1, len(body)))}
    try:
        for trial in sorted(trials):
            pattern.match(trial, timeout=TRIAL_SECONDS)
            pattern.search(trial, timeout=TRIAL_SECONDS)
    except TimeoutError:
        return True
    return False
