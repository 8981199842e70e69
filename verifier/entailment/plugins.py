"""Models of other packages: entry points of the group ``spanproof.entailment``.

An entry point names a factory without arguments that gives a
``spanproof.core.ports.EntailmentModel``. It follows the same rules as our own models: it gets no
unreadable text, every error that it raises becomes a ModelError, and a number outside 0 to 1 does
not count as an answer.
"""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import metadata
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ModelError, ModelUnavailableError
from spanproof.core.verdicts.model import Entailment, ModelIdentity
from spanproof.verifier.entailment.encoding.readable_input import InputGate
from spanproof.verifier.entailment.examination.canary import check_canary
from spanproof.verifier.entailment.null import not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.ports import EntailmentModel

GROUP = "spanproof.entailment"
#: ``SPANPROOF_MODEL=entry:NAME`` asks for one.
PREFIX = "entry:"
#: How far the three probabilities may be from 1 together.
_MOST_MISSING = 1e-3


def find_entry_name(chosen: str) -> str | None:
    """The entry point that a setting names; None where it names a folder."""
    return chosen.removeprefix(PREFIX) if chosen.startswith(PREFIX) else None


def load_entry(name: str) -> GuardedModel:
    """The model of that name, its canary passed; raise ModelUnavailableError without one."""
    found = [point for point in metadata.entry_points(group=GROUP) if point.name == name]
    if len(found) != 1:
        offered = sorted({point.name for point in metadata.entry_points(group=GROUP)})
        msg = f"Expected one entry point {name!r} in {GROUP!r}, got {len(found)} of {offered!r}."
        raise ModelUnavailableError(msg, hint="Install the package that offers it, and only one.")
    (point,) = found
    distribution = point.dist
    origin = "unknown" if distribution is None else f"{distribution.name}@{distribution.version}"
    try:
        model = point.load()()
        guarded = GuardedModel(model, entry=f"{name}+{origin}")
    except ModelError:
        raise
    # A stranger's code may raise anything, at import too.
    except Exception as error:
        msg = f"Expected a model of the entry point {name!r} ({origin}), got {error!r}."
        raise ModelUnavailableError(msg, hint="Fix or remove that package.") from error
    check_canary(guarded, knows_contradiction="contradicted" in guarded.identity.labels)
    return guarded


class GuardedModel:
    """An ``EntailmentModel`` around a stranger's: nothing but sound answers and ModelErrors."""

    def __init__(self, model: Any, *, entry: str) -> None:  # noqa: ANN401 - a stranger's
        """``entry`` names entry point and package; the runtime of every block holds it."""
        self._model: EntailmentModel = model
        self._gate = InputGate()
        given = model.identity
        if not isinstance(given, ModelIdentity):
            msg = f"Expected a ModelIdentity, got {type(given).__name__}."
            raise ModelUnavailableError(msg, hint="Compare the package with spanproof.core.ports.")
        if given.replayable and given.weights_digest is None:
            # Without a digest no one can tell whether the same model answers again.
            msg = f"Expected a weights digest of the replayable model {given.name!r}, got none."
            raise ModelUnavailableError(msg, hint="Give one, or declare replayable=False.")
        parts = [f"entry-{entry}", given.runtime, self._gate.description]
        if not given.replayable:
            parts.append("non_replayable")
        self.identity = replace(given, runtime="+".join(parts))

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, in order; raise ModelUnavailableError for anything else."""
        return self._ask(self._model.judge, pairs)

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The same by the model's own canonical run."""
        return self._ask(self._model.confirm, pairs)

    def close(self) -> None:
        """Close the model where it can be closed."""
        close = getattr(self._model, "close", None)
        if close is not None:
            close()

    def _ask(
        self,
        ask: Callable[[Sequence[tuple[str, str]]], list[Entailment]],
        pairs: Sequence[tuple[str, str]],
    ) -> list[Entailment]:
        refused = [self._refuse(premise, claim) for premise, claim in pairs]
        asked = [pair for pair, reason in zip(pairs, refused, strict=True) if reason is None]
        try:
            answers = list(ask(asked)) if asked else []
        except ModelError:
            raise
        except Exception as error:
            msg = f"Expected {len(asked)} answers of {self.identity.name!r}, got {error!r}."
            raise ModelUnavailableError(msg, hint="Fix or remove that package.") from error
        if len(answers) != len(asked):
            msg = f"Expected {len(asked)} answers of {self.identity.name!r}, got {len(answers)}."
            raise ModelUnavailableError(msg, hint="Fix or remove that package.")
        remaining = iter(zip(asked, answers, strict=True))
        return [
            _check_answer(*next(remaining)) if reason is None else not_run(reason)
            for reason in refused
        ]

    def _refuse(self, premise: str, claim: str) -> str | None:
        if not premise.strip():
            return "no_premise"
        if not claim.strip():
            return "no_claim"
        return self._gate.refuse_texts(premise, claim)


def _check_answer(pair: tuple[str, str], answer: Any) -> Entailment:  # noqa: ANN401 - a stranger's
    """The answer; raise ModelUnavailableError where its numbers mean nothing."""
    if not isinstance(answer, Entailment):
        msg = f"Expected a spanproof.core.verdicts.model.Entailment, got {answer!r}."
        raise ModelUnavailableError(msg, hint="Fix or remove the package of the model.")
    if answer.reason is not None:
        return not_run(str(answer.reason))
    shares: list[Any] = [answer.p_entailment, answer.p_neutral, answer.p_contradiction]
    sound = all(isinstance(share, float) and 0 <= share <= 1 for share in shares)
    if not sound or not math.isclose(sum(shares), 1, abs_tol=_MOST_MISSING):
        msg = f"Expected three probabilities that are 1 together, got {shares!r}."
        raise ModelUnavailableError(msg, hint="Fix or remove the package of the model.")
    if not 0 <= answer.coverage <= 1 or answer.windows < 1 or not 0 <= answer.tolerance < math.inf:
        msg = (
            "Expected a coverage in 0..1, a window or more and a finite tolerance,"
            f" got {answer.coverage!r}, {answer.windows!r} and {answer.tolerance!r}."
        )
        raise ModelUnavailableError(msg, hint="Fix or remove the package of the model.")
    if answer.evidence is not None and answer.evidence.end > len(pair[0]):
        msg = f"Expected evidence inside {len(pair[0])} characters, got {answer.evidence!r}."
        raise ModelUnavailableError(msg, hint="Fix or remove the package of the model.")
    return answer
