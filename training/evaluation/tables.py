"""The figures of ``training.evaluate`` as Markdown, for the terminal, the card and the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def to_tables(dev: Mapping[str, Any]) -> str:
    """Every table, each with a sentence on how to read it."""
    parts = [
        _headline(dev),
        _comparison(dev),
        _sources(dev),
        _lengths(dev),
        _padded(dev),
        _reliability(dev),
        _ablation(dev),
        _policies(dev),
        _unseen(dev),
    ]
    return "\n\n".join(part for part in parts if part)


def _headline(dev: Mapping[str, Any]) -> str:
    mean, found = dev["balanced_accuracy"], dev["contradictions"]
    grounding = dev["grounding"]
    lines = [
        (
            f"Balanced accuracy, entailment against the rest, mean over {len(dev['sources'])}"
            f" sources with at least 20 rows of each class: **{_figure(mean['mean'])}**"
            f" (95 % interval {_interval(mean['interval'])}). One threshold for all sources, chosen"
            " on one half of the documents; figure from the other half; averaged with the swap."
        ),
        (
            f"At the shipped threshold of {dev['threshold']:.3g}: {_figure(mean['at_threshold'])},"
            f" with the slot rules {_figure(mean['combined_at_threshold'])};"
            f" at 0.5: {_figure(mean['at_half'])}."
        ),
    ]
    if grounding["sources"]:
        lines.append(
            "Grounding (a sentence of an answer or summary against the passage it cites),"
            f" {len(grounding['sources'])} of these sources: **{_figure(grounding['mean'])}**"
            f" ({_interval(grounding['interval'])}); at the shipped threshold with the slot rules"
            f" {_figure(grounding['combined_at_threshold'])};"
            f" all {grounding['rows']} rows as one: {_figure(grounding['pooled'])}."
        )
    lines.append(
        f"Contradictions called entailed, of {found['rows']}: {_percent(found['model'])};"
        f" with the slot rules {_percent(found['combined'])}; at the shipped threshold"
        f" {_percent(found['model_at_threshold'])} and {_percent(found['combined_at_threshold'])}."
    )
    templates = ", ".join(f"{name} {_figure(value)}" for name, value in mean["templates"].items())
    lines.append(
        f"Rows not run: {dev['not_run']} of {dev['rows']}."
        + (f" Sentence templates, kept out of the means: {templates}." if templates else "")
    )
    return "\n".join(lines)


def _comparison(dev: Mapping[str, Any]) -> str:
    rows = [
        (
            row["name"],
            _figure(row["mean"]),
            _interval(row["interval"]),
            _figure(row["grounding"]),
            _percent(row["contradictions_called_entailed"]),
        )
        for row in dev["comparison"]
    ]
    head = ("judged by", "mean", "95 % interval", "grounding", "contradictions called entailed")
    notes = [
        f"{name}: {dev[key]}."
        for name, key in (("Claim only", "claim_only"), ("Other models", "others"))
        if dev[key] != "run"
    ]
    return "\n".join([_table(head, rows), *(["", *notes] if notes else [])])


def _sources(dev: Mapping[str, Any]) -> str:
    others = list(next(iter(dev["sources"].values()), {"beside": {}})["beside"])
    rows = [
        (
            source + (" *" if row["grounding"] else ""),
            f"{row['rows']} of {row['documents']}",
            _figure(row["balanced_accuracy"]),
            _interval(row["interval"]),
            _figure(row["combined"]),
            _figure(row["combined_at_threshold"]),
            _figure(row["containment"]),
            *(_figure(row["beside"][name]) for name in others),
        )
        for source, row in sorted(dev["sources"].items())
    ]
    head = (
        "source (* grounding)",
        "rows of documents",
        "balanced accuracy",
        "95 % interval",
        "with slot rules",
        "the same at the shipped threshold",
        "containment",
        *others,
    )
    small = ", ".join(f"{name} ({rows})" for name, rows in dev["small_sources"].items())
    return _table(head, rows) + (
        f"\n\nToo small for a row, or templates: {small}." if small else ""
    )


def _lengths(dev: Mapping[str, Any]) -> str:
    rows = [(name, *_beside_containment(row)) for name, row in dev["premise_words"].items()]
    head = ("premise words", "rows", "with slot rules", "95 % interval", "containment")
    return _table(head, rows)


def _padded(dev: Mapping[str, Any]) -> str:
    if not dev.get("padded"):
        return ""
    rows = [
        (
            source,
            str(row["rows"]),
            f"{row['words']:.0f}",
            _figure(row["bare"]),
            _figure(row["padded"]),
            _change(row["entailed_found"]),
            _change(row["others_refused"]),
            _change(row["contradictions_called_entailed"]),
        )
        for source, row in dev["padded"].items()
    ]
    head = (
        "claims against padded premises",
        "rows",
        "words",
        "bare",
        "padded",
        "entailed found",
        "others refused",
        "contradictions called entailed",
    )
    told = (
        "The same claims, their premise alone and among premises of other documents"
        " (rule-made), at the shipped threshold with the slot rules:"
    )
    return told + "\n\n" + _table(head, rows)


def _reliability(dev: Mapping[str, Any]) -> str:
    found = dev["reliability"]
    before, after = found["before"], found["after"]
    bins = {row["from"]: ["-"] * 6 for each in (before, after) for row in each["bins"]}
    for column, each in ((0, before), (3, after)):
        for row in each["bins"]:
            shown = [str(row["rows"]), _figure(row["said"]), _figure(row["seen"])]
            bins[row["from"]][column : column + 3] = shown
    rows = [(f"{low:.1f}", *cells) for low, cells in sorted(bins.items())]
    head = ("p from", "rows before", "said", "seen", "rows after", "said", "seen")
    told = (
        f"Expected calibration error on the {found['rows']} rows of documents that fitted nothing:"
        f" {_figure(before['calibration_error'])} before calibration,"
        f" {_figure(after['calibration_error'])} after."
    )
    return told + "\n\n" + _table(head, rows)


def _ablation(dev: Mapping[str, Any]) -> str:
    rows = [
        (
            "yes" if row["terms"] else "no",
            "yes" if row["slots"] else "no",
            _figure(row["mean"]),
            _interval(row["interval"]),
            _figure(row["grounding"]),
            _percent(row["contradictions_called_entailed"]),
        )
        for row in dev["ablation"]
    ]
    head = (
        "lexical terms",
        "slot rules",
        "mean",
        "95 % interval",
        "grounding",
        "contradictions called entailed",
    )
    return _table(head, rows)


def _policies(dev: Mapping[str, Any]) -> str:
    if not dev.get("policies"):
        return ""
    rows = [
        (
            name,
            str(row["rows"]),
            *(_percent(row["supported"][kind]) for kind in ("entailed", "review", "refused")),
            *(_percent(row["unsupported"][kind]) for kind in ("entailed", "review", "refused")),
            f"{_percent(row['wrong'])} of {row['reported_entailed']}",
            _percent(row["contradictions_entailed"]),
        )
        for name, row in dev["policies"].items()
    ]
    head = (
        "policy",
        "rows",
        "supported: entailed",
        "review",
        "refused",
        "unsupported: entailed",
        "review",
        "refused",
        "unsupported among those reported entailed",
        "contradictions entailed",
    )
    told = "The whole check at the shipped thresholds, on documents that fitted nothing:"
    return told + "\n\n" + _table(head, rows)


def _unseen(dev: Mapping[str, Any]) -> str:
    unseen = dev.get("unseen")
    if not unseen:
        return ""
    means = [(f"mean of {row['sources']}, {name}", row) for name, row in unseen["groups"].items()]
    each = [
        (source + (" *" if row["grounding"] else ""), row)
        for source, row in sorted(unseen["sources"].items())
    ]
    rows = [(name, *_beside_containment(row)) for name, row in [*each, *means]]
    head = (
        "unseen source (* grounding)",
        "rows",
        "with slot rules",
        "95 % interval",
        "containment",
    )
    told = (
        "Labelled rows of sources that shaped no weights, because their licence is unclear; rows"
        " whose claim or premise the training pairs hold are left out. At the shipped threshold;"
        f" contradictions called entailed, of {unseen['contradicted']}:"
        f" {_percent(unseen['contradictions_called_entailed'])}."
    )
    return told + "\n\n" + _table(head, rows)


def _beside_containment(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Rows, balanced accuracy with its interval, and that of token containment."""
    return (
        str(row["rows"]),
        _figure(row["balanced_accuracy"]),
        _interval(row["interval"]),
        _figure(row["containment"]),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _interval(bounds: Sequence[float] | None) -> str:
    return "-" if bounds is None else f"{bounds[0]:.3f} to {bounds[1]:.3f}"


def _change(values: Sequence[float | None]) -> str:
    return f"{_percent(values[0])}, {_percent(values[1])}"
