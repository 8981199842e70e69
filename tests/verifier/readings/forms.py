"""A claim that another form of its source says, and one near to it that no form says."""

from __future__ import annotations

from spanproof.verifier.support.agreed import find_written_out
from spanproof.verifier.support.premise import Premise


def says(premise: str, claim: str) -> bool:
    """Whether a form of the premise says the claim."""
    return find_written_out(claim, Premise.of(premise, start=0)) is not None


def check(premise: str, claim: str, falsehood: str) -> None:
    """The premise says the claim in another form, and the falsehood in none."""
    assert says(premise, claim)
    assert not says(premise, falsehood)
