"""What an answer states without a citation: listed, with a code, never a silent pass."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import Outcome
from tests.verifier.checking import REFUND, check, cite

SOUND = "Refunds take four business days [1]."
FALSE = (
    f"{SOUND} The fine was 4 million euros in 2023.",
    f"The seller bribed a minister. {SOUND}",
    f"The seller bribed a minister. He fled. {SOUND.replace(' [1].', '. [1]')}",
    f"# The seller bribed a minister\n\n{SOUND}",
    f"The seller bribed a minister\n============================\n\n{SOUND}",
    f"**The seller bribed a minister:**\n\n{SOUND}",
    f"***The seller bribed a minister***\n\n{SOUND}",
    f"{SOUND}\n\n| Item | Fact |\n|---|---|\n| Seller | bribed a minister in 2023 |\n",
    f"| The seller bribed a minister | Days |\n|---|---|\n| Refunds | {SOUND} |\n",
    f"{SOUND}\n\n```\nThe seller bribed a minister.\n```\n",
    f"{SOUND}\n\n~~~text\nThe seller bribed a minister\n~~~\n",
    f"{SOUND}\n\n- The seller bribed a minister\n",
    f"{SOUND}\n\n1. The seller bribed a minister\n",
    f"{SOUND}\n\n> The seller bribed a minister.\n",
    f"{SOUND}\n\n    The seller bribed a minister.\n",
    f"{SOUND}\n\nNote: the seller bribed a minister.",
    f"{SOUND}\n\n[^1]: The seller bribed a minister.",
    f"{SOUND} (The seller bribed a minister.)",
    f"{SOUND} He fled.",
    f"Sure, the seller fled. {SOUND}",
    f"{SOUND} Who bribed the minister? The seller.",
    f"{SOUND} Is the drug safe? Yes.",
    f"{SOUND} Wasn't it the seller who bribed the minister?",
    f"{SOUND}\n\nSeller arrested",
    f"Did you know that the seller bribed a minister? {SOUND}",
)
QUIET = (
    SOUND,
    f"Hello! {SOUND} I hope this helps!",
    f"# Refunds\n\n{SOUND}",
    f"**Payment terms**\n\n{SOUND}",
    f"Here is a summary of the policy:\n\n- {SOUND}\n- Refunds take four business days [1].\n",
    f"Based on the documents, here is what I found:\n\n{SOUND}",
    "| Item | Days |\n|---|---|\n| Refunds | four business days [1] |\n",
    f"{SOUND}\n\n```python\nwait(days=4)\n```\n",
    f"{SOUND} Would you like to know more?",
    f"{SOUND}\n\n---\n\nLet me know if you have other questions.",
    f"> {SOUND}",
    f"### Refunds (2024)\n\n{SOUND}",
    f"**Answer:** {SOUND}",
    f"1. {SOUND}\n2. {SOUND}",
    f"### Key takeaways\n\n* {SOUND}",
)


@pytest.mark.parametrize("prose", FALSE)
@pytest.mark.parametrize(
    ("policy", "result"),
    [("balanced", Outcome.REVIEW), ("review", Outcome.REVIEW), ("strict", Outcome.FAIL)],
)
def test_a_statement_beside_a_sound_one_is_no_pass(
    prose: str, policy: str, result: Outcome
) -> None:
    block = check(prose, cite(REFUND), policy=policy)
    assert "UNCITED_STATEMENT" in block.codes
    assert any(sentence.check_worthy for sentence in block.uncited_sentences)
    outcomes = {verdict.outcome for verdict in block.verdicts}
    if outcomes == {Outcome.PASS}:
        assert block.result is result
        assert block.recommended_action == ("withhold" if result is Outcome.FAIL else "review")
    else:
        assert block.result is not Outcome.PASS


@pytest.mark.parametrize("prose", QUIET)
def test_greetings_and_structure_ask_for_no_citation(prose: str) -> None:
    block = check(prose, cite(REFUND))
    assert block.codes == ()
    assert not any(sentence.check_worthy for sentence in block.uncited_sentences)


def test_uncited_statements_alone_are_the_reason_of_a_withheld_answer() -> None:
    block = check(f"The seller fled. {SOUND}", cite(REFUND), policy="strict")
    assert block.abstention_reason in {"uncited_statements", "citation_validation_failed"}
    assert block.recommended_action == "withhold"


def test_a_reply_that_is_no_answer_has_a_code_of_its_own() -> None:
    block = check("The seller bribed a minister.", answer_kind="abstention")
    assert block.codes == ("KIND_CONTRADICTED",)
