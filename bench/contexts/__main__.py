"""An answer with its contexts by ``spanproof.verify``, beside a pipeline and a token classifier.

``python -m bench.contexts``. SPANPROOF_TEST_DATA, or ``--data``, holds ``nli/dev.jsonl.gz``; each
answer has five of its expert-judged claims and their five premises, drawn with a seed. One process
on one core and one thread, in turn, CPU time. The pipeline is ``transformers``' text classification
with our weights, which gets the right premise of each claim. The token classifier reads all
contexts and the answer in one pass, as LettuceDetect does; it has that model's architecture
(ModernBERT base) and random weights, so it is there for its speed alone.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

from bench.attribution import read_rows
from bench.entailment.contenders import BATCH, list_pipelines
from bench.report import write_report
from spanproof import verify
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder

if TYPE_CHECKING:
    from collections.abc import Callable

CLAIMS = 5
SEED = 20261123
_MOST_CHARACTERS = 1_200
OURS, PIPELINE, TOKENS = "spanproof.verify", "pipeline", "token classifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer that cites its contexts as [1] to [5]."""

    claims: tuple[str, ...]
    contexts: tuple[str, ...]

    @property
    def answer(self) -> str:
        """The prose."""
        cited = (
            f"{claim.rstrip('. ')} [{number}]." for number, claim in enumerate(self.claims, start=1)
        )
        return " ".join(cited)


def draw_cases(data: Path, count: int) -> list[Case]:
    """Claims of one sentence, each with a premise that the pipeline reads whole."""
    rows = [
        row
        for row in read_rows(data)
        if ". " not in row["hypothesis"] and len(row["premise"]) <= _MOST_CHARACTERS
    ]
    drawn = random.Random(SEED).sample(rows, count * CLAIMS)  # noqa: S311 - a sample, no secret
    parts = (drawn[start : start + CLAIMS] for start in range(0, len(drawn), CLAIMS))
    return [
        Case(
            claims=tuple(row["hypothesis"] for row in part),
            contexts=tuple(row["premise"] for row in part),
        )
        for part in parts
    ]


def list_contenders() -> dict[str, Callable[[Case], object]]:
    """Each from texts to results."""
    folder = check_folder(embedded_folder())
    model = load_model()
    batched = next(each for each in list_pipelines(folder) if each.name.endswith(f" {BATCH}"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
    config = transformers.ModernBertConfig(num_labels=2)
    classifier = transformers.ModernBertForTokenClassification(config).eval()

    def classify(case: Case) -> object:
        texts = "\n".join(case.contexts), case.answer
        inputs = tokenizer(*texts, return_tensors="pt", truncation=False)
        with torch.inference_mode():
            return classifier(
                input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
            ).logits

    return {
        OURS: lambda case: verify(case.answer, case.contexts, model=model),
        PIPELINE: lambda case: batched.run(list(zip(case.contexts, case.claims, strict=True))),
        TOKENS: classify,
    }


def measure(cases: list[Case], rounds: int) -> dict[str, Any]:
    """CPU milliseconds a claim of each answer, pairs a second, and the ratio in each round."""
    contenders = list_contenders()
    for run in contenders.values():
        run(cases[0])
    spent: dict[str, list[list[float]]] = {name: [] for name in contenders}
    for turn in range(rounds):
        names = list(contenders)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            times = []
            for case in cases:
                start = time.process_time()
                contenders[name](case)
                times.append(time.process_time() - start)
            spent[name].append(times)
    totals = {name: [sum(times) for times in each] for name, each in spent.items()}
    return {
        name: {
            "p50_ms_per_claim": statistics.median(
                1000 * seconds / CLAIMS for times in each for seconds in times
            ),
            "pairs_per_second": statistics.median(
                len(cases) * CLAIMS / total for total in totals[name]
            ),
            "time_against_ours": _spread(
                [mine / ours for mine, ours in zip(totals[name], totals[OURS], strict=True)]
            ),
        }
        for name, each in spent.items()
    }


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.contexts", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("Expected a folder with nli/. Give --data DIR or set SPANPROOF_TEST_DATA.")
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cases = draw_cases(Path(arguments.data), arguments.answers)
    found = measure(cases, arguments.rounds)
    print("| what | p50, CPU ms a claim | pairs a second | time against spanproof.verify |")
    print("|---|---|---|---|")
    for name, each in found.items():
        ratio = each["time_against_ours"]
        print(
            f"| {name} | {each['p50_ms_per_claim']:.0f} | {each['pairs_per_second']:.1f} |"
            f" {ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f}) |"
        )
    figures = {"answers": len(cases), "claims_each": CLAIMS, "contenders": found}
    write_report(
        "contexts", figures, packages=("spanproof", "onnxruntime", "torch", "transformers")
    )


if __name__ == "__main__":
    main()
