"""Dev figures of a model folder by the real runtime: ``python -m training.evaluate --help``.

Reading the pairs takes minutes and is kept beside the output; everything after it takes less than
one. ``training.evaluation.judged`` says how a figure is made, ``training.evaluation.tables`` shows
them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.evaluation.baselines import ClaimOnly
from training.evaluation.cached_readings import CachedReadings
from training.evaluation.combined_check import measure_policies
from training.evaluation.dev_readings import DevReadings, read_rows
from training.evaluation.figures import Comparison, to_figures
from training.evaluation.metrics import TEMPLATE_SOURCES, half_of
from training.evaluation.slices import measure_padding
from training.evaluation.tables import to_tables
from training.evaluation.unseen import draw_unseen, measure_unseen
from training.pairs import read_pairs, thin_out
from training.variants.padding import pad_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.pairs import Pair


def evaluate(
    kept: CachedReadings,
    dev: DevReadings,
    comparison: Comparison | None = None,
    *,
    unseen: Sequence[Pair] = (),
    padded_per_class: int,
) -> dict[str, Any]:
    """All figures; the policies on the documents that fitted nothing (half 1).

    ``unseen`` are rows of sources that shaped no weights (``training.evaluation.unseen``).
    """
    import numpy as np

    calibration = kept.folder.calibration
    figures = to_figures(dev, calibration, comparison)
    held = np.array(
        [half_of(pair.doc) == 1 and pair.source not in TEMPLATE_SOURCES for pair in dev.pairs]
    )
    figures["policies"] = measure_policies(kept, dev, held)
    made = pad_pairs(dev.pairs, per_class=padded_per_class)
    figures["padded"] = {}
    if made:
        bare, padded = (
            read_rows(kept, rows, pairs_sha256=dev.pairs_sha256) for rows in zip(*made, strict=True)
        )
        figures["padded"] = measure_padding(bare, padded, calibration)
    figures["unseen"] = {}
    if unseen:
        carried = read_rows(kept, unseen, pairs_sha256=dev.pairs_sha256)
        figures["unseen"] = measure_unseen(carried, calibration)
    return figures


def main() -> None:
    """Read the command line, run or recall the model, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument(
        "--per-class",
        type=int,
        help="rows of each class and source of PAIRS at most; default: every one",
    )
    parser.add_argument("--output", type=Path, required=True, help="figures.json")
    parser.add_argument("--cache", type=Path, help="window logits; default OUTPUT with .npz")
    parser.add_argument(
        "--train",
        type=Path,
        help="pairs that the claim-only baseline is fitted on, and that rows of unseen sources are"
        " drawn from; default train.jsonl.gz beside PAIRS",
    )
    parser.add_argument(
        "--unseen", type=int, default=200, help="rows of each unseen source and class"
    )
    parser.add_argument(
        "--others",
        type=Path,
        nargs="*",
        default=[],
        help="other model folders to compare with; each is read once, too",
    )
    parser.add_argument(
        "--padded", type=int, default=24, help="padded premises of each source and class"
    )
    arguments = parser.parse_args()
    output: Path = arguments.output
    rows = thin_out(read_pairs(arguments.pairs, shippable_only=False), arguments.per_class)
    digest = hashlib.sha256(arguments.pairs.read_bytes()).hexdigest()
    others = []
    for number, folder in enumerate(arguments.others, 1):
        beside = CachedReadings(folder, output.with_name(f"{output.stem}.other-{number}.npz"))
        name = f"{beside.folder.name} ({beside.folder.weights_digest.hex[:8]})"
        readings = read_rows(beside, rows, pairs_sha256=digest)
        others.append((name, readings, beside.folder.calibration))
    kept = CachedReadings(arguments.model, arguments.cache or output.with_suffix(".npz"))
    train: Path = arguments.train or arguments.pairs.with_name("train.jsonl.gz")
    unseen: list[Pair] = []
    if train.is_file():
        made = train.with_name("train_synth.jsonl.gz")
        trained_on = [path for path in (train, made) if path.is_file()]
        unseen = draw_unseen(train, trained_on=trained_on, per_class=arguments.unseen)
    figures = evaluate(
        kept,
        read_rows(kept, rows, pairs_sha256=digest),
        Comparison(claim_only=ClaimOnly.of_file(train) if train.is_file() else None, others=others),
        unseen=unseen,
        padded_per_class=arguments.padded,
    )
    output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(to_tables(figures))


if __name__ == "__main__":
    main()
