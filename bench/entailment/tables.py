"""The measured figures as Markdown, each with its target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FIGURES = {
    "ratio": "× pipeline, batch 32",
    "share_of_blas": "of the floor by BLAS",
    "share_of_laid_out": "of the floor with weights laid out",
}


def to_tables(figures: Mapping[str, Any]) -> str:
    """Everything that was run, and what was not."""
    parts = [_sample(name, each) for name, each in figures["samples"].items()]
    parts.append(_targets(figures))
    if figures["accuracy"]:
        parts.append(_accuracy(figures["accuracy"]))
    if figures["start_up"]:
        parts.append(_start_up(figures["start_up"]))
    if figures["growth"]:
        parts.append(_growth(figures["growth"]))
    parts.extend(f"Not run: {name} ({why})" for name, why in figures["not_run"].items())
    return "\n\n".join(parts)


def _sample(name: str, sample: Mapping[str, Any]) -> str:
    tokens = sample["tokens"]
    rows = [
        (
            contender,
            _spread(row["pairs_per_second"], ".1f"),
            _spread(row["ratio"], ".2f"),
            _spread(row.get("share_of_blas"), ".2f"),
            _spread(row.get("share_of_laid_out"), ".2f"),
            _spread(row["wall_pairs_per_second"], ".1f"),
        )
        for contender, row in sample["contenders"].items()
        if contender != "floor"
    ]
    head = (
        "one core",
        "pairs a second (CPU)",
        "× pipeline, batch 32",
        "of the floor, BLAS",
        "of the floor, laid out",
        "by the clock",
    )
    told = [
        (
            f"{name}: {sample['pairs']} pairs ({sample['from']}), tokens {tokens['mean']:.0f} mean,"
            f" {tokens['median']:.0f} median, {tokens['most']} at most"
        )
    ]
    floor = sample["contenders"].get("floor")
    notes = []
    if floor is not None:
        rates = " and ".join(
            f"{_spread(floor[name]['pairs_per_second'], '.1f')} pairs a second {words}"
            f" ({_spread(floor[name]['gigaflops_per_second'], '.0f')} GFLOP/s)"
            for name, words in (
                ("blas", "by the faster of numpy and torch"),
                ("laid_out", "by ONNX Runtime with the weights laid out beforehand"),
            )
        )
        notes.append(
            f"Floor: {floor['gigaflop_per_pair']:.2f} GFLOP of matrix products a pair (last layer:"
            f" {sample['last_layer']}); nothing but these: {rates}."
        )
    agreement = sample["agreement"]
    if agreement is not None:
        notes.append(
            f"Canonical run and pipeline: {agreement['argmax_differs']} of {agreement['pairs']}"
            f" labels and {agreement['decision_differs']} decisions at the threshold differ;"
            f" greatest difference of p {agreement['greatest_probability_difference']:.1e},"
            f" of a logit {agreement['greatest_logit_difference']:.1e}."
        )
    return "\n".join([*told, "", _table(head, rows), *(["", *notes] if notes else [])])


def _targets(figures: Mapping[str, Any]) -> str:
    targets = figures["targets"]
    lines = []
    for name, sample in figures["samples"].items():
        for contender, key, target in (
            ("ours, onnx", "ratio", targets["ratio"]),
            ("ours, onnx", "share_of_blas", targets["share_of_floor"]),
            ("ours, onnx", "share_of_laid_out", targets["share_of_floor"]),
            ("ours, onnx-int8", "ratio", targets["int8_ratio"]),
        ):
            row = sample["contenders"].get(contender, {}).get(key)
            shown = "not run" if row is None else f"{row['median']:.2f}"
            met = "" if row is None else ", met" if row["median"] >= target else ", not met"
            words = _FIGURES[key]
            lines.append((f"{contender}, {words}, {name}", f"{target:g}", shown + met))
    start = figures["start_up"].get("import of the command")
    if start:
        median = start["wall_seconds"]["median"]
        reached = median < targets["import_seconds"] and not start["heavy"]
        shown = f"{median:.2f}, met" if reached else f"{median:.2f}, not met"
        lines.append(("import of the command, seconds", f"{targets['import_seconds']:g}", shown))
    return _table(("figure", "to reach", "median"), lines)


def _accuracy(accuracy: Mapping[str, Any]) -> str:
    rows = [
        (
            runtime,
            str(row["rows"]),
            f"{row['balanced_accuracy']:.4f}",
            f"{row['change_interval'][0]:+.4f} to {row['change_interval'][1]:+.4f}",
            f"{100 * row['agreement']:.2f} %",
            f"{row['greatest_logit_difference']:.3f}",
        )
        for runtime, row in accuracy.items()
    ]
    head = (
        "runtime",
        "labelled rows",
        "balanced accuracy",
        "change, 95 % interval",
        "same decision",
        "greatest difference of a logit",
    )
    return _table(head, rows)


def _start_up(start_up: Mapping[str, Any]) -> str:
    rows = [
        (
            name,
            _spread(row["wall_seconds"], ".2f"),
            _spread(row["cpu_seconds"], ".2f"),
            ", ".join(row["heavy"]) or "neither",
        )
        for name, row in start_up.items()
    ]
    return _table(("start-up", "seconds", "CPU seconds", "torch or transformers"), rows)


def _growth(growth: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            f"{row['pairs']:,}",
            f"{row['wall_seconds']:.1f}",
            f"{row['cpu_ms_per_pair']:.1f}",
            f"{row['peak_bytes'] / 2**20:.0f}",
            str(row["not_run"]),
        )
        for row in growth
    ]
    head = ("spanproof entail, pairs", "seconds", "CPU ms a pair", "peak MiB", "not run")
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _spread(values: Mapping[str, float] | None, form: str) -> str:
    if values is None:
        return "-"
    return f"{values['median']:{form}} ({values['least']:{form}} to {values['most']:{form}})"
