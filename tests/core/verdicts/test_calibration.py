from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from spanproof.core.citation import Answer, Generator
from spanproof.core.digest import Digest
from spanproof.core.verdicts.calibration import (
    FIELD_SCHEMA_LABEL,
    CalibrationRecord,
    CalibrationStatus,
    check_calibration,
)
from tests.builders import MOMENT, make_record

WEIGHTS = Digest.of(b"weights")
RECORD = make_record(weights=WEIGHTS)
ANSWER = Answer(prose="Yes.", anchors=(), citations=())


def status(
    record: CalibrationRecord | None = RECORD,
    *,
    answer: Answer = ANSWER,
    weights: Digest | None = WEIGHTS,
    days: int = 0,
) -> CalibrationStatus:
    return check_calibration(record, weights, answer, MOMENT + timedelta(days=days)).status


def test_without_declared_scope_it_applies_to_every_answer() -> None:
    assert status() is CalibrationStatus.APPLIED
    assert status(days=4000) is CalibrationStatus.APPLIED


def test_no_calibration_is_none() -> None:
    assert status(None) is CalibrationStatus.NONE


@pytest.mark.parametrize("weights", [None, Digest.of(b"other")])
def test_other_weights_make_it_stale(weights: Digest | None) -> None:
    assert status(weights=weights) is CalibrationStatus.STALE
    assert status(replace(RECORD, weights_sha256=None)) is CalibrationStatus.STALE


def test_age_makes_it_stale_after_its_last_day() -> None:
    record = replace(RECORD, valid_days=30)
    assert status(record, days=30) is CalibrationStatus.APPLIED
    assert status(record, days=31) is CalibrationStatus.STALE


def test_an_answer_of_another_prompt_is_out_of_scope() -> None:
    record = replace(RECORD, prompt_ids=("faq-3",))
    asked = replace(ANSWER, generator=Generator(prompt_id="faq-3"))
    other = replace(ANSWER, generator=Generator(prompt_id="faq-4"))
    assert status(record, answer=asked) is CalibrationStatus.APPLIED
    assert status(record, answer=other) is CalibrationStatus.OUT_OF_SCOPE
    # What names no prompt is of none that is declared.
    assert status(record) is CalibrationStatus.OUT_OF_SCOPE


def test_fields_of_another_schema_are_out_of_scope() -> None:
    record = replace(RECORD, field_schema_sha256="a" * 64)
    same = replace(ANSWER, labels=((FIELD_SCHEMA_LABEL, "a" * 64),))
    assert status(record, answer=same) is CalibrationStatus.APPLIED
    assert status(record) is CalibrationStatus.OUT_OF_SCOPE
