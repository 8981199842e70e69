"""Labelled rows of sources that shaped no weights: how far the model carries beyond its training.

The licence of these sources does not allow weights to be shipped that were trained on them, so no
run ever drew from them. A row is left out where the training pairs hold its claim, its premise or
much of it all the same (data sets are made from one another), and the thresholds are the shipped
ones: nothing here was fitted, but dev holds other rows of the same sources, and training runs
were told apart by such rows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from training.evaluation.baselines import measure_containment
from training.evaluation.combined_check import find_vetoed
from training.evaluation.dev_readings import to_scored
from training.evaluation.groups import GROUNDING
from training.evaluation.judged import Judged, share
from training.evaluation.metrics import bootstrap, mean_by_source
from training.pairs import LABEL_IDS, order_of, read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from training.evaluation.dev_readings import DevReadings
    from training.pairs import Pair

#: A premise is known from this share of its sentences on, of those with so many words.
KNOWN_SHARE, SENTENCE_WORDS = 0.2, 6
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def draw_unseen(labelled: Path, *, trained_on: Sequence[Path], per_class: int) -> list[Pair]:
    """Up to ``per_class`` rows, entailed and not, of each source that none of the files trained.

    Their digests decide which, so the same files give the same rows.
    """
    trained = [pair for path in trained_on for pair in read_pairs(path, shippable_only=True)]
    sources = {pair.source for pair in trained}
    known = {text for pair in trained for text in (_fold(pair.hypothesis), *_texts(pair.premise))}
    drawn: dict[tuple[str, bool], list[Pair]] = defaultdict(list)
    for pair in sorted(read_pairs(labelled, shippable_only=False), key=order_of):
        rows = drawn[pair.source, pair.label == LABEL_IDS["entailment"]]
        if pair.source not in sources and len(rows) < per_class and not _is_known(pair, known):
            rows.append(pair)
    return [pair for _, rows in sorted(drawn.items()) for pair in rows]


def measure_unseen(readings: DevReadings, calibration: Calibration) -> dict[str, Any]:
    """Balanced accuracy at the shipped threshold with the slot rules, source by source."""
    pairs = readings.pairs
    scores = readings.probabilities(calibration)[:, 0]
    checked = to_scored(readings, np.where(find_vetoed(pairs), 0.0, scores))
    called = checked.scores >= calibration.threshold
    sources = checked.large_sources()
    grounding = [source for source in sources if source in GROUNDING]
    contradicted = np.array([pair.label == LABEL_IDS["contradiction"] for pair in pairs])
    contained = to_scored(readings, np.array([measure_containment(pair) for pair in pairs]))
    containment = Judged.of("token containment", contained).by_source
    intervals = bootstrap(checked, called, sources)
    return {
        "rows": len(pairs),
        "contradicted": int(contradicted.sum()),
        "contradictions_called_entailed": share(called[contradicted]),
        "groups": {
            name: {
                "sources": len(group),
                "rows": int(np.isin(checked.sources, group).sum()),
                "balanced_accuracy": mean_by_source(checked, group, calibration.threshold),
                "interval": bootstrap(checked, called, group)["mean"],
                "containment": float(np.mean([containment[source] for source in group])),
            }
            for name, group in (("all", sources), ("grounding", grounding))
            if group
        },
        "sources": {
            source: {
                "rows": int((checked.sources == source).sum()),
                "grounding": source in GROUNDING,
                "balanced_accuracy": mean_by_source(checked, [source], calibration.threshold),
                "interval": intervals[source],
                "containment": containment[source],
            }
            for source in sources
        },
    }


def _is_known(pair: Pair, known: set[str]) -> bool:
    if _fold(pair.hypothesis) in known:
        return True
    whole, *sentences = _texts(pair.premise)
    met = sum(sentence in known for sentence in sentences)
    return whole in known or met > KNOWN_SHARE * len(sentences)


def _texts(premise: str) -> Iterator[str]:
    """The folded premise and its folded sentences, short ones left out."""
    yield _fold(premise)
    for sentence in _SENTENCE_END.split(premise):
        folded = _fold(sentence)
        if len(folded.split()) >= SENTENCE_WORDS:
            yield folded


def _fold(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()
