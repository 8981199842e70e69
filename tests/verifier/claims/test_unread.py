"""Marks that look like citations: which are read, which are findings, and which are neither."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import Outcome
from tests.verifier.checking import POLICY, REFUND, check, cite

MARKS = (
    "[１]", "【1】", "(1)", "(1, 2)", "（1）", "[Source 1]", "[Doc 2]", "[ref. 3]", "[#1]", "[S1]",
    "[1a]", "[1, p. 4]", "[Handbook, p. 4]", "[1 and 2]", "[1/2]", "[3-1]", "[20241]", "[00001]",
    "[1,2,99999]", "[١]", "[1\u200b]", "[\u20601]", "[**1**]", "[^1]", "\\[1\\]", "[1\\]", "[¹]",
    "[i]", "[a]", "[*]", "[†]", "①", "⑴", "⁽¹⁾", "<sup>1</sup>", "`[1]`", "〔1〕", "［1］",
    "&#91;1&#93;", "[source: handbook]", "(Source: handbook)", "(see source 2)", "[@smith2020]",
    "[[REF:s1]]", "[citation:doc:c1]", "[cite:abc]", "\\cite{abc}", "<ref>Smith</ref>",
)  # fmt: skip
HARMLESS = (
    "(1) The tenant pays. (2) The landlord repairs. So it is [1].",
    "He said [sic] that it is so [1].",
    "In that year (2024) it was [2024] so [1].",
    "[2024] UKSC 12 says so [1].",
    "See [the policy](https://policy.example/a) [1].",
    "It is so [1].\n\n[^1]: Smith, Handbook.",
    "The area is 40 m² and the volume 3 m³ [1].",
    "x² + y² is given [1].",
    "It has 10⁶ units [1].",
    "It is so [1].\n\n```\nx = arr[1]\ny = [1, 2]\nfor i in a[i]:\n```",
    "Use `arr[1]` here [1].",
    "Write `[1]` behind what it supports [1].",
    "Section 4(1) applies [1].",
    "This is Article 6 (1). It is so [1].",
    "They are in group (1). So it is [1].",
    "The interval [0.5, 1.0] holds [1].",
    "The interval [1.2-3.4] is wide [1].",
    "[A]lthough it rains, it is so [1].",
    "If [the tenant] pays, it is so [1].",
    "At [10:30] it was so [1].",
    "Aged 12 (7). It is so [1].",
    "The company (Acme) paid [1].",
    "- [ ] to do\n- [x] done\n\nIt is so [1].",
    "Smith (2020) found it [1].",
    "It is so [citation needed]. It is [1].",
    "It is so (emphasis added) [1].",
    "It goes on [...] and on [1].",
    "Mozart [1756-1791] wrote it [1].",
    "χ² was used, and R² [1].",
    "sec² is a function [1].",
)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("form", ["Nobody objects {}. {}", "Nobody objects. {} {}"])
def test_a_mark_that_is_not_read_is_a_finding(mark: str, form: str) -> None:
    prose = form.format(mark, "Refunds take four business days [1].")
    block = check(prose, cite(REFUND))
    assert [prose[span.start : span.end] for span in block.unread_citations] == [
        mark.removesuffix("Smith</ref>").strip("`")
        if mark.startswith(("`", "<ref"))
        else mark.strip("[]").join("[]")
        if mark.startswith("[[")
        else mark
    ]
    assert "UNREAD_CITATION" in block.codes
    assert block.result is not Outcome.PASS


@pytest.mark.parametrize("policy", ["balanced", "strict", "review"])
def test_no_policy_passes_an_answer_with_an_unread_mark(policy: str) -> None:
    # The greeting asks for no citation, so the mark alone decides.
    block = check("Hello [Source 1]! Refunds take four business days [1].", cite(REFUND))
    assert all(verdict.outcome is Outcome.PASS for verdict in block.verdicts)
    assert block.codes == ("UNREAD_CITATION",)
    assert check("Hello [Source 1]! It is so [1].", cite(REFUND), policy=policy).result is not (
        Outcome.PASS
    )
    assert (block.result, block.recommended_action) == (Outcome.REVIEW, "review")


@pytest.mark.parametrize("prose", HARMLESS)
def test_what_is_no_citation_is_none(prose: str) -> None:
    block = check(prose, cite(REFUND))
    assert block.unread_citations == ()
    assert block.orphan_anchors == ()


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[1-3]", [1, 2, 3]),
        ("[1–3]", [1, 2, 3]),
        ("[1; 3]", [1, 3]),
        ("[1;2]", [1, 2]),
        ("[1, 2–3]", [1, 2, 3]),
    ],
)
def test_ranges_and_lists_are_read_as_what_they_mean(mark: str, numbers: list[int]) -> None:
    block = check(f"Refunds take four business days {mark}.", cite(REFUND))
    judged = [verdict.anchor for verdict in block.verdicts]
    orphans = [number for number, _ in block.orphan_anchors]
    assert sorted(judged + orphans) == numbers
    assert block.unread_citations == ()


def test_a_range_that_names_no_citation_is_unread_and_no_orphan() -> None:
    block = check("Refunds take four business days [1]. Nobody objects [7-9].", cite(REFUND))
    assert block.orphan_anchors == ()
    assert [len(span) for span in block.unread_citations] == [len("[7-9]")]


def test_a_mark_behind_prose_in_code_is_a_finding() -> None:
    prose = "Refunds take four business days [1].\n\n```\nThe seller bribed a minister [1].\n```"
    block = check(prose, cite(REFUND))
    assert [span.start for span in block.unread_citations] == [prose.rindex("[1]")]
    assert [prose[s.span.start : s.span.end] for s in block.uncited_sentences] == [
        "The seller bribed a minister [1]."
    ]


def test_another_format_has_marks_of_its_own() -> None:
    from dataclasses import replace

    from spanproof.verifier.policies import load_policy
    from spanproof.verifier.verify import NATIVE, verify
    from tests.builders import MOMENT, ScriptedModel, make_library

    block = check("Hello [Source 1]! Refunds take four business days [1].", cite(REFUND))
    other = verify(
        block.answer,
        make_library(POLICY),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=replace(NATIVE, format="chunk"),
    )
    assert (block.result, other.result) == (Outcome.REVIEW, Outcome.PASS)
    assert other.unread_citations == ()


@pytest.mark.parametrize("piece", ["[", "(1", "[1", "¹", "[1] ", "`[1]` ", "^1", "<sup", "[a, "])
def test_the_search_is_linear(piece: str) -> None:
    import time
    from dataclasses import replace

    from spanproof.verifier.claims.unread import find_unread
    from spanproof.verifier.formats.grammars import find_anchors

    block = check("It is so [1].", cite(REFUND))

    def cost(count: int) -> float:
        prose = piece * count + " Refunds take four business days [1]."
        answer = replace(block.answer, prose=prose, anchors=find_anchors(prose))
        start = time.process_time()
        find_unread(answer)
        return time.process_time() - start

    cost(10)
    assert cost(4000) < 40 * max(cost(400), 0.005)
