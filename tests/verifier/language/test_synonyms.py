"""Words that are near each other and do not say the same are in no row of synonyms."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The drug cures lung cancer.", "The drug treats lung cancer."),
        ("The firm owns the bank.", "The firm belongs to the bank."),
        ("The company employs 300 workers.", "The company hired 300 workers."),
        ("The study proves that tea helps.", "The study indicates that tea helps."),
        ("The study demonstrates that tea helps.", "The study suggests that tea helps."),
        ("Diaz starred in the film Orion.", "Diaz appeared in the film Orion."),
        ("The Federal Reserve raised rates.", "The central bank raised rates."),
        ("The Senate rejected the bill.", "The upper house rejected the bill."),
        ("The president passed the tax bill.", "The president endorsed the tax bill."),
        ("The team consists of three doctors.", "The team includes three doctors."),
        ("The company produced the vaccine.", "The company developed the vaccine."),
        ("The bridge was built by Lee.", "The bridge was designed by Lee."),
        ("The invoice was paid in May 2024.", "The invoice is due in May 2024."),
        ("Dr Hahn calculated the age.", "Dr Hahn estimated the age."),
        ("The board elected Ms Ito as chair.", "The board selected Ms Ito as chair."),
        ("Ms Ito was appointed as judge.", "Ms Ito was nominated as judge."),
        ("He was charged with fraud in May.", "He was accused of fraud in May."),
        ("The bank granted Ann a loan.", "The bank offered Ann a loan."),
        ("Airlines must refund passengers.", "Activists demand that airlines refund passengers."),
        ("The house is worth two million euros.", "The house cost two million euros."),
        ("Smoking caused the disease.", "Smoking contributed to the disease."),
    ],
)
def test_a_near_word_is_another_word(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None
