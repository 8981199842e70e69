"""Documents, support and policies: what the auditor holds, against what was signed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.receipt.check.content import (
    AuditorAnswer,
    AuditorFile,
    AuditorText,
    LoggedErasure,
    PolicyRequirement,
    check_answer,
    check_documents,
    check_policy,
    check_spans,
    check_support,
)
from spanproof.receipt.check.report import Line, LineStatus, Question
from spanproof.receipt.statement.events import Erasure
from tests.receipt.said import OTHER, say, with_two_documents
from tests.receipt.samples import Issuer
from tests.receipt.statements import (
    ANSWER,
    CANONICAL,
    MOMENT,
    SOURCE,
    digest,
    make_document,
    make_predicate,
    make_summary,
    sha256,
)

if TYPE_CHECKING:
    from spanproof.receipt.statement.predicate import Predicate


def test_without_anything_to_compare_nothing_was_asked() -> None:
    predicate = say()
    for line in (
        check_documents(predicate, []),
        check_spans(predicate, []),
        check_support(predicate, None),
        check_policy(predicate, None),
    ):
        assert line.status is LineStatus.NOT_ASKED
        assert line.code is None


def test_a_source_is_the_one_byte_for_byte() -> None:
    line = check_documents(say(), [AuditorFile.of(SOURCE)])
    assert line.status is LineStatus.OK
    assert digest(SOURCE) in line.words
    assert "not asked" not in line.words


def test_another_source_fails_and_says_which_is_expected() -> None:
    line = check_documents(say(), [AuditorFile.of(SOURCE), AuditorFile.of(SOURCE + b"\n")])
    assert line.status is LineStatus.FAILED
    assert line.code == "SOURCE_NOT_THE_ONE"
    assert digest(SOURCE) in line.words


def test_a_source_of_the_right_digest_and_another_length_fails() -> None:
    document = make_document() | {"byte_length": len(SOURCE) + 1}
    line = check_documents(say(documents=[document]), [AuditorFile.of(SOURCE)])
    assert line.status is LineStatus.FAILED


def test_what_was_not_given_of_several_is_counted() -> None:
    predicate = with_two_documents()
    assert "1 more not asked" in check_documents(predicate, [AuditorFile.of(SOURCE)] * 2).words
    both = [AuditorFile.of(SOURCE), AuditorFile.of(OTHER.encode())]
    line = check_documents(predicate, both)
    # Nothing cites the other: of it the receipt says nothing.
    assert line.status is LineStatus.NOT_CHECKED
    assert line.words.startswith(f"{digest(OTHER)}: supplied, not cited")
    cited = [document._replace(doc_ids=("other",)) for document in predicate.documents]
    line = check_documents(predicate._replace(documents=tuple(cited)), both)
    assert line.status is LineStatus.OK
    assert "not asked" not in line.words


def test_a_document_that_a_verdict_names_is_cited() -> None:
    predicate = with_two_documents()
    (verdict,) = predicate.verdicts
    place = {"doc_hash": digest(OTHER), "char_start": 0, "char_end": 5, "folds": []}
    for changed in (
        verdict._replace(existence=verdict.existence._replace(candidates=(place,))),
        verdict._replace(attribution=verdict.attribution._replace(supported_by=(place,))),
    ):
        line = check_documents(
            predicate._replace(verdicts=(changed,)), [AuditorFile.of(OTHER.encode())]
        )
        assert line.status is LineStatus.OK


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (ANSWER.encode(), LineStatus.OK),
        (f"{ANSWER}\n".encode(), LineStatus.OK),
        (f"{ANSWER}\r\n".encode(), LineStatus.OK),
        (json.dumps({"answer": ANSWER, "citations": []}).encode(), LineStatus.OK),
        # The payload as it came, whatever it is.
        (b"request", LineStatus.OK),
        (f" {ANSWER}".encode(), LineStatus.FAILED),
        (f"{ANSWER}\n\n".encode(), LineStatus.FAILED),
        (json.dumps({"answer": f"{ANSWER} "}).encode(), LineStatus.FAILED),
        (json.dumps({"answer": 1}).encode(), LineStatus.FAILED),
        (json.dumps([ANSWER]).encode(), LineStatus.FAILED),
        (b"", LineStatus.FAILED),
    ],
)
def test_a_receipt_is_of_one_answer(raw: bytes, status: LineStatus) -> None:
    line = check_answer(say(), AuditorAnswer.of(raw))
    assert line.status is status
    assert line.code == ("ANSWER_NOT_THE_ONE" if status is LineStatus.FAILED else None)
    assert check_answer(say(), None).status is LineStatus.NOT_ASKED


def test_a_receipt_without_documents_has_no_source() -> None:
    nothing = say(
        documents=[],
        citations=[],
        verdicts=[],
        summary=make_summary()
        | {
            "result": "review",
            "all_spans_present": False,
            "all_claims_entailed": False,
            "counts": dict.fromkeys(("verdicts", "pass", "fail", "review", "error"), 0),
        },
    )
    assert "0 documents" in check_documents(nothing, []).words
    line = check_documents(nothing, [AuditorFile.of(SOURCE)])
    assert line.status is LineStatus.FAILED
    assert line.words.startswith("Expected none at all, got a file of ")
    assert "no claim" in check_support(nothing, None).words
    assert check_spans(nothing, [AuditorText.of(b"")]).status is LineStatus.FAILED


def test_a_long_list_of_documents_is_cut() -> None:
    documents = [make_document()] + [
        make_document() | {"doc_hash": digest(str(number)), "canonical_texts": [], "doc_ids": []}
        for number in range(9)
    ]
    line = check_documents(say(documents=documents), [AuditorFile.of(b"x")])
    assert "and 7 more" in line.words


def make_erasure(**what: Any) -> LoggedErasure:
    """A tombstone as it is once it was checked."""
    event = Erasure(
        event_id="01935a6e-8a00-7000-8000-000000000002",
        nonce=bytes(16),
        time=MOMENT,
        origin="log.example.com",
        contents=(),
        reason="asked for",
        **what,
    )
    return LoggedErasure(event=event, index=7)


def test_what_was_erased_is_told_beside_what_was_compared() -> None:
    predicate = say()
    told = "erased 2026-11-20, see the tombstone at leaf 7 of log.example.com"
    document = make_erasure(doc_hash=Digest.of(SOURCE))
    words = make_erasure(verification_id=predicate.verification_id)
    about = f"{digest(SOURCE)} {told}"
    answer = f"the words of verification {predicate.verification_id} {told}"
    line = check_documents(predicate, [], [document, words])
    assert line.status is LineStatus.NOT_ASKED
    assert line.words == f"1 document; {about}; {answer}."
    line = check_documents(predicate, [AuditorFile.of(SOURCE)], [document, words])
    assert line.status is LineStatus.OK
    assert line.words == f"{digest(SOURCE)}, byte for byte; {about}; {answer}."


def test_a_tombstone_of_something_else_is_not_told() -> None:
    others = [make_erasure(doc_hash=Digest.of(b"x")), make_erasure(verification_id="another")]
    for sources in ([], [AuditorFile.of(SOURCE)]):
        assert "erased" not in check_documents(say(), sources, others).words


def test_what_computes_support_anew_has_the_word() -> None:
    asked: list[Predicate] = []
    words = "Computed anew."
    line = Line(question=Question.SUPPORT, status=LineStatus.OK, words=words)

    def recompute(predicate: Predicate) -> Line:
        asked.append(predicate)
        return line

    said = say()
    assert check_support(said, recompute) is line
    assert asked == [said]


def test_what_the_receipt_says_of_support_is_told_with_its_model() -> None:
    words = check_support(say(), None).words
    assert "1 ENTAILED" in words
    assert sha256(b"weights") in words
    predicate = make_predicate(Issuer().add_intake())
    bare = say(model=predicate["model"] | {"weights_sha256": None})
    assert check_support(bare, None).words == (
        "The receipt says 1 ENTAILED, by 'model' (no weights); it was not recomputed."
    )


def test_the_words_are_a_persons() -> None:
    one, two = say(), with_two_documents()
    source, other = AuditorFile.of(SOURCE), AuditorFile.of(OTHER.encode())
    text = AuditorText.of(CANONICAL.encode())
    weights, policy = f"sha256:{sha256(b'weights')}", digest(b"policy")
    required = PolicyRequirement(name="ours", digest=Digest.of(b"ours"))
    for line, words in (
        (check_documents(one, []), "1 document; no file was given to compare."),
        (check_documents(two, []), "2 documents; no file was given to compare."),
        (check_documents(one, [source]), f"{digest(SOURCE)}, byte for byte."),
        (
            check_documents(two, [source]),
            f"{digest(SOURCE)}, byte for byte; 1 more not asked.",
        ),
        (
            check_documents(two, [source, source]),
            f"{digest(SOURCE)}, byte for byte; 1 more not asked.",
        ),
        (
            check_documents(two, [source, other]),
            (
                f"{digest(OTHER)}: supplied, not cited; no verdict is about it. "
                "Give the source of a citation."
            ),
        ),
        (
            check_documents(one, [other]),
            (
                f"Expected {digest(SOURCE)}, got a file of {digest(OTHER)} and {len(OTHER)} bytes. "
                "Give the source file itself."
            ),
        ),
        (check_spans(one, []), "1 span; no canonical text was given to compare."),
        (
            check_spans(one, [AuditorText.of(OTHER.encode())]),
            (
                f"Expected sha256:{sha256(CANONICAL)}, got a text of {digest(OTHER)} and "
                f"{len(OTHER)} characters. "
                "Give the canonical text as 'spanproof text' writes it, byte for byte."
            ),
        ),
        (
            check_spans(two, [AuditorText.of(OTHER.encode())]),
            "The text is the receipt's, and none of its 1 span is in it.",
        ),
        (check_spans(one, [text]), "1 span reads as signed."),
        (
            check_support(one, None),
            f"The receipt says 1 ENTAILED, by 'model' ({weights}); it was not recomputed.",
        ),
        (
            check_policy(one, None),
            f"The receipt says 'pass' under 'balanced' ({policy}); no policy was required.",
        ),
        (
            check_policy(one, required),
            (
                f"Expected 'pass' under 'ours' ({required.digest}), "
                f"got 'pass' under 'balanced' ({policy})."
            ),
        ),
        (
            check_policy(one, PolicyRequirement(name="balanced", digest=Digest.of(b"policy"))),
            f"'pass' under 'balanced' ({policy}).",
        ),
    ):
        assert line.words == words


def test_only_the_first_of_many_are_named() -> None:
    documents = [
        make_document() | {"doc_hash": digest(str(number)), "canonical_texts": [], "doc_ids": []}
        for number in range(3)
    ]
    three = say(documents=[make_document(), *documents[:2]])
    four = say(documents=[make_document(), *documents])
    names = [digest(SOURCE), digest("0"), digest("1")]
    foreign = [AuditorFile.of(b"x")]
    words = check_documents(three, foreign).words
    assert words.startswith(f"Expected {', '.join(names)}, got a file")
    words = check_documents(four, foreign).words
    assert words.startswith(f"Expected {', '.join(names)} and 1 more, got a file")


def test_a_policy_is_met_by_its_digest_and_a_pass() -> None:
    required = PolicyRequirement(name="balanced", digest=Digest.of(b"policy"))
    assert check_policy(say(), required).status is LineStatus.OK


def test_a_policy_of_the_same_name_is_another() -> None:
    line = check_policy(say(), PolicyRequirement(name="balanced", digest=Digest.of(b"other")))
    assert line.status is LineStatus.FAILED
    assert line.code == "POLICY_UNMET"


def test_a_review_meets_no_policy() -> None:
    predicate = say(summary=make_summary() | {"result": "review"})
    required = PolicyRequirement(name="balanced", digest=Digest.of(b"policy"))
    assert check_policy(predicate, required).status is LineStatus.FAILED
