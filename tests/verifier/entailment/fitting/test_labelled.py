from __future__ import annotations

import json

import pytest

from spanproof.core.errors import MalformedLabelsError
from spanproof.verifier.entailment.fitting.labelled import (
    Label,
    LabelledPair,
    parse_labelled,
    require_enough,
)

ROW = {"premise": "A man eats.", "hypothesis": "Someone eats.", "label": "entailment"}


def to_lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("entailment", Label.ENTAILMENT),
        ("ENTAILED", Label.ENTAILMENT),
        ("NEUTRAL", Label.NEUTRAL),
        ("Contradicted", Label.CONTRADICTION),
        ("not_entailment", Label.NOT_ENTAILMENT),
    ],
)
def test_labels_are_read_by_name(name: str, label: Label) -> None:
    (pair,) = parse_labelled(to_lines(ROW | {"label": name})).pairs
    assert pair.label is label


def test_pairs_of_one_premise_are_one_document_unless_told_otherwise() -> None:
    other = ROW | {"hypothesis": "A man sleeps."}
    first, second, third, fourth = parse_labelled(
        to_lines(ROW, other, ROW | {"doc": 7}, ROW | {"source": "mail"})
    ).pairs
    assert first.doc == second.doc
    assert len({first.doc, third.doc, fourth.doc}) == 3


def test_every_bad_line_is_named_at_once() -> None:
    bad = b"\n".join(
        (
            to_lines(ROW),
            b"",
            b"{not json",
            b'{"premise": "x"}',
            to_lines(ROW | {"label": "maybe"}),
            b"[1]",
            b"\xff\xfe",
            to_lines(ROW | {"doc": [1]}),
            to_lines(ROW | {"hypothesis": "  "}),
        )
    )
    with pytest.raises(MalformedLabelsError) as caught:
        parse_labelled(bad)
    for part in (
        "line 3: no JSON",
        "line 4: no text in 'hypothesis'",
        "line 5: unknown label 'maybe'",
        "line 6: no object",
        "line 7: no JSON",
        "and 2 more",
    ):
        assert part in caught.value.message
    assert "line 2" not in caught.value.message


def make_pairs(entailed: int, others: int) -> list[LabelledPair]:
    labels = [Label.ENTAILMENT] * entailed + [Label.NEUTRAL] * others
    return [
        LabelledPair(premise="p", hypothesis="h", label=label, source="", doc=str(number))
        for number, label in enumerate(labels)
    ]


@pytest.mark.parametrize(
    ("entailed", "others", "said"),
    [(20, 29, "got 49"), (60, 0, "entailment only"), (0, 60, "no entailment")],
)
def test_too_few_pairs_or_a_missing_class_is_refused(entailed: int, others: int, said: str) -> None:
    with pytest.raises(MalformedLabelsError, match=said):
        require_enough(make_pairs(entailed, others))
    require_enough(make_pairs(25, 25))


def test_the_digest_is_of_the_bytes() -> None:
    assert parse_labelled(to_lines(ROW)).sha256 != parse_labelled(to_lines(ROW) + b"\n").sha256
