"""A calibration file's content as lines for a person: the promise and its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Figures of the kept-back half: the key and what it is called.
_FIGURES = (
    ("calibration_error", "calibration error (ECE, 15 bins)"),
    ("negative_log_likelihood", "negative log-likelihood, nats"),
    ("balanced_accuracy", "balanced accuracy, mean over sources"),
    ("balanced_accuracy_at_half", "  the same at 0.5"),
    ("contradictions_called_entailed", "contradictions called entailed"),
    ("entailed_called_entailed", "entailed called entailed"),
)


def describe_calibration(content: Mapping[str, Any]) -> Iterator[str]:
    """Lines: the rows, the numbers, before and after on kept-back rows, the certificates."""
    rows = content["rows"]
    yield (
        f"Calibration {content['name']}: {rows['all']} labelled pairs of {rows['documents']}"
        f" documents ({rows['entailment']} entailment, {rows['neutral']} neutral,"
        f" {rows['contradiction']} contradiction, {rows['not_entailment']} not entailment)"
    )
    yield (
        f"Fitted on {rows['fitted']} pairs, measured on the {rows['held']} of the other documents;"
        f" {rows['not_run']} did not run"
    )
    weights = ", ".join(f"{name} {weight:g}" for name, weight in content["weights"].items())
    yield (
        f"Scale {content['scale']:.4g}, bias {content['bias']:.4g}, weights: {weights or 'none'}"
    )
    yield ""
    yield f"{'on the kept-back half':40}{'before':>9}{'after':>9}{'swapped':>9}"
    held, swapped = content["held"], content["swapped"]
    for key, label in _FIGURES:
        cells = (held.get(f"{key}_before"), held[key], swapped[key])
        yield f"{label:40}" + "".join(f"{_number(value):>9}" for value in cells)
    yield ""
    yield "said       pairs   said   seen"
    for each in held["reliability"]:
        yield (
            f"{each['low']:.2f}-{each['high']:.2f} {each['rows']:6}"
            f" {each['said']:6.3f} {each['seen']:6.3f}"
        )
    yield ""
    low, high = content["threshold_interval"]
    yield (
        f"Default threshold {_number(content['threshold'])} (95 % interval {low:.2f} to {high:.2f})"
    )
    for name, bound in content["certificates"].items():
        yield describe_certificate(name, bound)
    for policy, bound in content["bounds"].items():
        yield describe_bound(policy, bound)


def describe_certificate(name: str, bound: Mapping[str, Any]) -> str:
    """From where a group passes under a policy, or that it has no certificate."""
    share = f"{bound['errors']} of {bound['selected']} unsupported"
    seen = f"{share}, upper limit {_number(bound['upper'])}"
    if bound["threshold"] is None:
        return f"{name}: no certificate for {bound['alpha']:g} ({seen} at the first tried)"
    return f"{name}: from {_number(bound['threshold'])}, at most {bound['alpha']:g} ({seen})"


def describe_bound(policy: str, bound: Mapping[str, Any]) -> str:
    """What was seen of all that a policy lets pass, in one sentence."""
    if not bound["selected"]:
        return f"{policy}: nothing passes: no group has a certificate, and no words agree."
    sure = f"{100 * (1 - bound['delta']):g} %"
    return (
        f"{policy}: at most {bound['upper']:.3f} of what passes is unsupported, on"
        f" data like these pairs, with {sure} confidence (n {bound['n']}, one pair a document;"
        f" {bound['errors']} of {bound['selected']} that pass are unsupported)."
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
