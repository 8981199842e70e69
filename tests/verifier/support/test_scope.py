from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Generator
from spanproof.core.digest import Digest
from spanproof.core.verdicts.calibration import CalibrationStatus
from spanproof.core.verdicts.status import Outcome, SupportStatus
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library, make_record

if TYPE_CHECKING:
    from spanproof.core.verdicts.calibration import CalibrationRecord
    from spanproof.core.verdicts.verification_block import VerificationBlock

TEXT = "The fee is due at once."
#: A claim of which the text has no word.
OTHER = "A charge applies to visits."
WEIGHTS = Digest.of(b"scripted")


def judge(record: CalibrationRecord | None, policy: str) -> VerificationBlock:
    extraction = make_extraction(TEXT)
    model = ScriptedModel()
    model.identity = replace(model.identity, record=record)
    raw = (
        '{"answer": "The fee is due at once [1].", "citations": [{"anchor": 1, "doc_hash":'
        f' "{extraction.document.doc_hash}", "span": {{"text": "{TEXT}", "char_start": 0,'
        f' "char_end": {len(TEXT)}}}}}]}}'
    )
    answer = replace(parse_answer(raw.encode()).answer, generator=Generator(prompt_id="faq-4"))
    return verify(answer, make_library(extraction), model, load_policy(policy), verified_at=MOMENT)


@pytest.mark.parametrize(
    ("record", "status", "code"),
    [
        (None, CalibrationStatus.NONE, "CALIBRATION_NONE"),
        (
            make_record(weights=Digest.of(b"other")),
            CalibrationStatus.STALE,
            "CALIBRATION_STALE",
        ),
        (
            make_record(weights=WEIGHTS, prompt_ids=("faq-3",)),
            CalibrationStatus.OUT_OF_SCOPE,
            "CALIBRATION_OUT_OF_SCOPE",
        ),
    ],
)
def test_outside_its_calibration_no_answer_passes_strict(
    record: CalibrationRecord | None, status: CalibrationStatus, code: str
) -> None:
    strict, balanced = judge(record, "strict"), judge(record, "balanced")
    for block in (strict, balanced):
        assert block.calibration.status is status
        assert block.calibration.record == record
        assert code in block.verdicts[0].codes
        assert block.verdicts[0].support.status is SupportStatus.ENTAILED
    assert strict.result is Outcome.REVIEW
    assert "calibration" in strict.verdicts[0].notes
    assert balanced.result is Outcome.PASS


def test_within_its_calibration_an_answer_passes_strict_without_a_code() -> None:
    block = judge(make_record(weights=WEIGHTS, prompt_ids=("faq-4",)), "strict")
    assert block.calibration.status is CalibrationStatus.APPLIED
    assert block.result is Outcome.PASS
    assert not any(code.startswith("CALIBRATION") for code in block.verdicts[0].codes)


def read(
    p_entailment: float, policy: str, *thresholds: tuple[str, float | None]
) -> tuple[SupportStatus, str | None]:
    model = ScriptedModel({TEXT: (p_entailment, 1 - p_entailment, 0.0)})
    model.identity = replace(model.identity, threshold=0.4, thresholds=thresholds)
    support = SupportJudge(model, load_policy(policy)).judge(TEXT, OTHER, premise_start=0)
    return support.status, support.reason


@pytest.mark.parametrize(
    ("p_entailment", "expected"),
    [
        (0.39, (SupportStatus.NEUTRAL, None)),
        (0.50, (SupportStatus.BORDERLINE, "band")),
        (0.79, (SupportStatus.BORDERLINE, "claim_part_unsupported")),
        (0.81, (SupportStatus.ENTAILED, None)),
    ],
)
def test_the_models_word_counts_from_the_threshold_of_its_certificate(
    p_entailment: float, expected: tuple[SupportStatus, str | None]
) -> None:
    assert read(p_entailment, "strict", ("strict/other", 0.8)) == expected


def test_a_certificate_is_for_one_policy_and_one_group() -> None:
    for name in ("strict/in_order", "balanced/other", "strict"):
        assert read(0.99, "strict", (name, 0.6))[0] is SupportStatus.BORDERLINE
    assert read(0.99, "strict", ("strict/other", None))[0] is SupportStatus.BORDERLINE
    assert read(0.1, "strict", ("strict/other", None)) == (SupportStatus.NEUTRAL, None)


def test_a_threshold_of_its_own_is_a_policys_last_word() -> None:
    model = ScriptedModel()
    identity = replace(model.identity, thresholds=(("balanced/other", 0.7),))
    for name, entailed_from in (("balanced", 0.65), ("strict", 0.75)):
        policy = replace(load_policy(name), threshold=0.6)
        for group in (None, "other", "in_order"):
            edges = policy.support_edges(identity, group)
            assert edges.threshold == 0.6
            assert edges.entailed_from == pytest.approx(entailed_from)
