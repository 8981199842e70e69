"""Write MODEL_CARD.md and model_card.json into a model folder: ``python -m training.card --help``.

Everything in the card is read: the digests from the files, the figures from ``training.evaluate``,
the run from ``training_run.json``, the counts from the pairs. Weights of other figures are refused.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.verifier.entailment.fitting.report import describe_calibration
from spanproof.verifier.entailment.models.folder import check_folder
from training.about import find_about
from training.evaluation.tables import to_tables
from training.origins import ORIGINS
from training.pairs import read_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.verifier.entailment.models.folder import ModelFolder


def count_origins(paths: Sequence[Path]) -> dict[str, int]:
    """Training pairs by source, of those that may shape shipped weights."""
    counts = Counter(
        pair.source for path in paths for pair in read_pairs(path, shippable_only=True)
    )
    unknown = sorted(set(counts) - set(ORIGINS))
    if unknown:
        msg = f"Expected an origin for every source. Add one for {unknown!r} to origins."
        raise SystemExit(msg)
    return dict(sorted(counts.items()))


def to_card(
    folder: ModelFolder,
    *,
    run: Mapping[str, Any],
    calibration: Mapping[str, Any],
    figures: Mapping[str, Any],
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """The card as JSON; ``weights_sha256`` is what the runtime compares at load.

    ``figures`` may hold those of ``bench.trust`` as ``trust``: what a pass is worth.
    """
    for name, other in (("figures", figures), ("calibration", calibration)):
        if other and other["weights_sha256"] != folder.weights_digest.hex:
            msg = f"Expected {name} of the folder's weights, got those of other weights: run again."
            raise SystemExit(msg)
    about = find_about(folder)
    tokenizer = hashlib.sha256((folder.path / "tokenizer.json").read_bytes()).hexdigest()
    return {
        "name": about.name,
        "use": about.use,
        "files": about.weights,
        "weights_sha256": folder.weights_digest.hex,
        "tokenizer_sha256": tokenizer,
        "config_sha256": folder.config_digest.hex,
        "labels": list(folder.labels.meanings),
        "languages": ["en"],
        "encoder": about.encoder,
        "licence": "Apache-2.0",
        "training_commands": about.commands(run),
        "training_run": dict(run),
        "calibration": dict(calibration),
        "dev": dict(figures),
        "data": [
            {
                "source": source,
                "pairs": pairs,
                "origin": ORIGINS[source].repository,
                "licence": ORIGINS[source].licence,
            }
            for source, pairs in counts.items()
        ],
        "limits": list(about.limits),
    }


def to_markdown(card: Mapping[str, Any]) -> str:
    """The card for people."""
    dev, calibration = card["dev"], card["calibration"]
    reliability = dev["reliability"]
    run = "\n".join(f"- {name}: {value}" for name, value in card["training_run"].items())
    data = "\n".join(
        f"| {row['source']} | {row['pairs']:,} | {row['origin']} | {row['licence']} |"
        for row in card["data"]
    )
    lines = "\n".join(describe_calibration(calibration))
    commands = "\n".join(card["training_commands"])
    limits = "\n".join(f"- {limit}" for limit in card["limits"])
    return f"""# {card["name"]}

A three-way entailment classifier: does a premise support a claim? {card["use"]}

- Encoder: {card["encoder"]}; licence of these weights: {card["licence"]}
- {card["files"]} SHA-256 `{card["weights_sha256"]}`
- `tokenizer.json`, SHA-256 `{card["tokenizer_sha256"]}`
- Labels by output: {", ".join(card["labels"])}
- Calibration `{calibration["name"]}`, fitted on one half of the dev documents and measured on the
  other; expected calibration error there, of raw probabilities and of these:
  {reliability["before"]["calibration_error"]:.3f} and
  {reliability["after"]["calibration_error"]:.3f}

```
{lines}
```

## Figures on dev

{to_tables(dev)}

Runtime of the figures: `{dev["runtime"]}`

## What a pass is worth

{to_trust(dev.get("trust"))}

## Training

```
{commands}
```

{run}

Three-way cross-entropy, with -log(p_neutral + p_contradiction) where the origin does not tell the
two apart. Rule-made pairs (a slot changed, a sentence against its own passage, a longer premise)
are drawn among the labelled ones.

## Data

Only pairs whose origin states a licence that allows commercial use. The quoted web, news and
encyclopaedia texts keep their own rights; no row of the data is part of this project.

| source | pairs | origin | licence |
|---|---|---|---|
{data}

## Limits

{limits}
"""


def to_trust(trust: Mapping[str, Any] | None) -> str:
    """Risk and coverage of each policy on sources that shaped nothing, and the curve."""
    if trust is None:
        return "Not measured (`python -m bench.trust`)."
    intro = (
        "A false pass costs more than a review. On labelled pairs of sources that shaped nothing"
        " (`python -m bench.trust`): how much of what passes is unsupported, and how much of what"
        " is supported passes."
    )
    lines = [
        intro,
        "",
        "| policy | sources | pass | unsupported | of what is supported, pass |",
        "|---|---|---|---|---|",
    ]
    for policy, found in trust.items():
        for group in ("all", "grounding"):
            point = found["points"][group]
            shares = [_percent(point[name]) for name in ("risk", "coverage")]
            lines.append(
                f"| {policy} | {group} | {point['passed']} of {point['pairs']} | {shares[0]} |"
                f" {shares[1]} |"
            )
    curve = trust["balanced"]["curves"]["all"]
    told = ", ".join(f"{_percent(risk)} at {_percent(coverage)}" for coverage, risk in curve)
    passing = trust["balanced"]["contradictions"]
    enough = (
        "If the model's word were enough from some threshold on, `balanced` would let pass so much"
        f" that is unsupported, at so much coverage: {told}."
    )
    contradicted = (
        f"Contradictions that pass `balanced`: {passing['passed']} of {passing['pairs']}."
    )
    lines += ["", contradicted, enough]
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def main() -> None:
    """Read the command line and write both cards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--figures", type=Path, required=True, help="of training.evaluate")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="training *.jsonl.gz")
    parser.add_argument("--trust", type=Path, help="bench/results/trust.json of bench.trust")
    arguments = parser.parse_args()
    model: Path = arguments.model
    figures = json.loads(arguments.figures.read_text(encoding="utf-8"))
    if arguments.trust is not None:
        trust = json.loads(arguments.trust.read_text(encoding="utf-8"))
        figures["trust"] = trust["figures"]["pairs"]
    # The old card's digest would refuse new weights, and this is the one place that renews it.
    (model / "model_card.json").unlink(missing_ok=True)
    card = to_card(
        check_folder(model),
        run=json.loads((model / "training_run.json").read_text(encoding="utf-8")),
        calibration=json.loads((model / "calibration.json").read_text(encoding="utf-8")),
        figures=figures,
        counts=count_origins(arguments.pairs),
    )
    (model / "model_card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    (model / "MODEL_CARD.md").write_text(to_markdown(card), encoding="utf-8")


if __name__ == "__main__":
    main()
