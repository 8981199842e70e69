"""What a model has to show once, before it is kept under a name.

(1) It answers the golden pairs, and its outputs mean what they are named for.
(2) It passes the canary, as at every load.
(3) A pair gives the same bits alone and in company; another backend than the canonical one may
    differ by its tolerance.
(4) A pair is laid out as transformers lays it out with the folder's own tokenizer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.examination.canary import check_canary
from spanproof.verifier.entailment.examination.golden import (
    GoldenScore,
    check_golden,
    load_golden_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.verifier.entailment.encoding.planning import PairPlanner
    from spanproof.verifier.entailment.logits import Reading
    from spanproof.verifier.entailment.model import LocalEntailment
    from spanproof.verifier.entailment.models.folder import ModelFolder

#: Every so many of the golden pairs is asked alone too: at 43 pairs some nine, long ones included.
_ALONE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was seen: the score, the largest difference of a logit, pairs a second here."""

    golden: GoldenScore
    largest_difference: float
    pairs_per_second: float
    layouts_compared: int

    def to_json(self) -> dict[str, Any]:
        """Its part of a registration's record."""
        return {
            "golden": self.golden.to_json(),
            "canary": "passed",
            "reproducible": {"largest_difference": self.largest_difference},
            "layouts_compared": self.layouts_compared,
            "pairs_per_second": round(self.pairs_per_second, 1),
        }


def examine(
    model: LocalEntailment,
    folder: ModelFolder,
    planner: PairPlanner,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> Examination:
    """Ask it everything; raise ModelUnavailableError or ModelLabelsError at the first miss."""
    pairs = [(pair.premise, pair.claim) for pair in load_golden_pairs()]
    model.read_windows(pairs[:1])  # the first call pays for threads and memory
    start = clock()
    readings = model.read_windows(pairs)
    seconds = clock() - start
    # (1) Before the canary, which cannot say that labels bear each other's names.
    golden = check_golden(readings, folder.labels)
    # (2) The canary.
    check_canary(model, knows_contradiction=not folder.labels.is_two_way)
    # (3) The same bits in any company.
    alone = [model.read_windows([pair])[0] for pair in pairs[::_ALONE]]
    difference = _find_difference(readings[::_ALONE], alone)
    allowed = 0.0 if model.is_canonical else max(reading.tolerance for reading in readings)
    if not difference <= allowed:
        msg = f"Expected logits within {allowed} alone and in company, got {difference} apart."
        raise ModelUnavailableError(msg, hint="Choose another runtime with SPANPROOF_RUNTIME.")
    return Examination(
        golden=golden,
        largest_difference=difference,
        pairs_per_second=len(pairs) / max(seconds, 1e-9),
        # (4) The layout of pairs.
        layouts_compared=compare_layouts(folder, planner, pairs),
    )


def compare_layouts(
    folder: ModelFolder, planner: PairPlanner, pairs: Sequence[tuple[str, str]]
) -> int:
    """How many pairs transformers lays out as we do, those of one window each.

    Raises ModelUnavailableError where one differs, or where transformers has no tokenizer here.
    """
    import transformers

    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            folder.path, local_files_only=True, trust_remote_code=False
        )
    # What transformers raises for a folder that it cannot read has no common base.
    except Exception as error:
        msg = f"Expected a tokenizer that transformers reads, got {error!s}."
        raise ModelUnavailableError(msg, hint="Add tokenizer_config.json to the folder.") from error
    compared = 0
    for premise, claim in pairs:
        calls = planner.plan(premise, claim).calls
        if len(calls) != 1:
            continue
        theirs = tokenizer(premise, claim)
        types = theirs.get("token_type_ids") or calls[0].types
        if calls[0].ids != tuple(theirs["input_ids"]) or calls[0].types != tuple(types):
            msg = (
                f"Expected the tokens of transformers, {theirs['input_ids']!r}, types"
                f" {list(types)!r}; got {list(calls[0].ids)!r}, types {list(calls[0].types)!r}."
            )
            hint = "Let tokenizer.json and tokenizer_config.json be those of the same model."
            raise ModelUnavailableError(msg, hint=hint)
        compared += 1
    return compared


def _find_difference(together: Sequence[Reading], alone: Sequence[Reading]) -> float:
    return max(
        (
            abs(one - other)
            for ours, theirs in zip(together, alone, strict=True)
            for row, other_row in zip(ours.logits, theirs.logits, strict=True)
            for one, other in zip(row, other_row, strict=True)
        ),
        default=0.0,
    )
