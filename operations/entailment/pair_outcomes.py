"""What a verification says of a hypothesis that cites the whole premise, under a policy."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from spanproof.core.errors import ExtractionError, ModelError
from spanproof.core.verdicts.status import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy

Pair = tuple[str, str]


def judge_outcomes(
    model: EntailmentModel, pairs: Sequence[Pair], policy: Policy
) -> dict[Pair, Outcome]:
    """The outcome of each pair; ``error`` where the premise cannot be a document, or nothing ran.

    A premise is read as a plain text is: its offsets and words are those of its canonical text.
    """
    from spanproof.verifier.claims.claims import to_hypothesis
    from spanproof.verifier.support.judge import SupportJudge
    from spanproof.verifier.verify import verify_pair

    judge = SupportJudge(model, policy)
    premises = {premise: _read_premise(premise) for premise, _ in pairs}
    known = [(premise, premises[premise[0]]) for premise in pairs]
    # Together, so that every core has work; what fails here fails again below, pair by pair.
    with suppress(ModelError, MemoryError):
        judge.read_ahead(
            [(text.text.text, to_hypothesis(pair[1])) for pair, text in known if text is not None]
        )
    outcomes = dict.fromkeys(pairs, Outcome.ERROR)
    for pair, premise in known:
        verdict = None if premise is None else verify_pair(premise, pair[1], judge, policy)
        if verdict is not None:
            outcomes[pair] = verdict.outcome
    return outcomes


def _read_premise(text: str) -> Extraction | None:
    from spanproof.ingest import extract

    try:
        return extract(text.encode("utf-8"), media_type="text/plain", filename="premise.txt")
    except (ExtractionError, UnicodeEncodeError):
        # Nothing can be cited in it: an empty text, or one with half a character.
        return None
