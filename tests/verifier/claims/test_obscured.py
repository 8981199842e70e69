"""Claims in which a reader may read other words than the model does."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.claims.claims import to_hypothesis
from spanproof.verifier.claims.obscured import is_obscured
from tests.verifier.checking import REFUND, check, cite

OBSCURED = (
    "The drug is n\u043et safe.",
    "The drug is n\u200bot safe.",
    "The drug is not\u2060 safe.",
    "The drug is \U0001d427\U0001d428\U0001d42d safe.",
    "is \u207f\u1d52\u1d57 safe",
    "is \uff55\uff4esafe",
    "is n o t safe",
    "is n<b></b>ot safe",
    "fee is 4\u200b0 euros",
    "fee is 4\uff10 euros",
    "is 4\u2070 euros",
    "\u21630 euros",
    "\u2463\u24ea euros",
    "4\ufe0f\u20e30\ufe0f\u20e3 euros",
    "The \u202enot\u202c safe",
    "is n\xadot safe",
    "is ~~not~~ safe",
    "is <b hidden>not</b> safe",
    "is <!-- not --> safe",
    "four&#48; days",
    "is n\u0336o\u0336t\u0336 safe",
    "is n\u03bft safe",
    "is not\ufeff safe",
    "n&zwnj;ot safe",
    "\U0001d7d2\U0001d7ce euros",
    "The fee is 4\u034f0",
    "<span style='display:none'>not</span>",
    "is \u3164not",
    "th\u0435 fee",
    "is &#110;ot safe",
    "not\U000e0041 safe",
)
PLAIN = (
    "The drug is safe.",
    "It weighs 40 µg and 3 μm.",
    "The α-helix and β-sheet.",
    "χ² = 4.",
    "1\u02e2\u1d57 place, 10\u2076 units, 2\u207f, 5\xb2",
    "Z\xfcrich\u2019s na\xefve caf\xe9 \u201cquoted\u201d \u2014 40 \u20ac",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0628\u0631\u0648\u0645",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family \u2764\ufe0f",
    "H<sub>2</sub>O is water.",
    "A & B &amp; C &nbsp; D",
    "x < y and z > w",
    "Договор заключён в Москве.",
    "Η σύμβαση λήγει.",
    "Die Gebühr beträgt 40 Euro.",
    "½ cup",
    "The ΔG is 4.",
    "λmax is 40 nm.",
    "Ω resistance",
    "O\u2082 and CO\u2082",
    "\ufb01ne ligature",
    "Nguyễn Văn Trãi",
    "\u05e9\u05dc\u05d5\u05dd \u200eabc",
    "\u2116 4",
    "\u2460",
    "Å and Ångström",
    "She said «oui».",
    "\u5951\u7d04\u306f\u6709\u52b9\u3067\u3059\u3002",
    "The company “Газпром” paid.",
    "résumé (NFD: résumé)",
    "C:\\path <tag>",
    "i.e. a b",
    "e.g. x y",
    "Vitamin B6 is \xa9 2020\u2122",
)


@pytest.mark.parametrize("text", OBSCURED)
def test_what_a_reader_reads_otherwise_is_obscured(text: str) -> None:
    assert is_obscured(text)


@pytest.mark.parametrize("text", PLAIN)
def test_what_scripts_units_and_emoji_need_is_not(text: str) -> None:
    assert not is_obscured(text)


@pytest.mark.parametrize("policy", ["balanced", "strict", "review"])
def test_no_policy_passes_an_obscured_claim(policy: str) -> None:
    sound = "Refunds take four business days [1]."
    assert check(sound, cite(REFUND)).result is Outcome.PASS
    (verdict,) = check(sound.replace("days", "da\u200bys"), cite(REFUND), policy=policy).verdicts
    assert "CLAIM_OBSCURED" in verdict.codes
    assert verdict.outcome is not Outcome.PASS


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"Interest of 3\.5 per cent", "Interest of 3.5 per cent"),
        (r"\*not\* so", "*not* so"),
        ("Smith &amp; Sons", "Smith & Sons"),
        ("four&#48; days", "four0 days"),
        (r"C:\path", r"C:\path"),
    ],
)
def test_a_claim_is_read_as_it_is_shown(written: str, shown: str) -> None:
    assert to_hypothesis(written) == shown
