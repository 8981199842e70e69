"""What a receipt is made of comes to its predicate: every field, and no word of what was said."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Library, SandboxLevel
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.receipt.statement import issuance as issue
from spanproof.receipt.statement.predicate import NOBODY, Actor, InputDigests
from spanproof.receipt.statement.statement import make_statement, parse_statement
from tests.receipt.block_verdict import redact_verdict
from tests.receipt.expected import EXPECTED, LEASE_TEXT, READ_TEXT, SCANNED_TEXT, SPANS, digest_json
from tests.receipt.issued import INTAKE, MANUAL_FILE, extract, make_case, make_document
from tests.receipt.judged import MOMENT
from tests.receipt.statements import digest, sha256

Json = dict[str, Any]
CASE = make_case()
BLOCK: Json = dict(block_to_json(CASE.block))
LATER = {"verdicts", "verdicts_digest", "block_digest"}
#: Letters that nothing but what was said has: all else in a predicate is ASCII.
FOREIGN = st.characters(min_codepoint=0x370, categories=("Ll", "Lo"))
CHARACTERS = st.characters(exclude_characters="\0", codec="utf-8")
#: The machine may be busy; what a predicate is made of is small.
FEW = settings(max_examples=50, deadline=None)
DIGESTS = st.none() | st.binary(max_size=4).map(Digest.of)
#: The weakest first.
LEVELS: tuple[SandboxLevel, ...] = ("none", "limits", "landlock", "landlock+seccomp")


@pytest.fixture(scope="module")
def predicate() -> Json:
    return CASE.build()


def test_a_predicate_has_these_fields_and_no_others(predicate: Json) -> None:
    assert set(predicate) == set(EXPECTED) | LATER
    assert set(get_args(SandboxLevel)) == set(LEVELS)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_field_says_what_it_was_made_from(name: str, predicate: Json) -> None:
    assert predicate[name] == EXPECTED[name]


def test_the_verdicts_are_the_blocks_own_without_words(predicate: Json) -> None:
    hashes = [None if words is None else sha256(words) for words in SPANS]
    assert predicate["verdicts"] == [
        redact_verdict(verdict, span_sha256=span_sha256)
        for verdict, span_sha256 in zip(BLOCK["verdicts"], hashes, strict=True)
    ]
    first = predicate["verdicts"][0]
    assert first["claim"]["text_sha256"] == sha256("Invoices")
    assert first["support"]["p_entailment"] == "0.970000"
    assert first["locator"]["bbox"] == ["72.000000", "312.500000", "540.000000", "348.250000"]


def test_the_digests_of_the_block_are_over_all_of_it(predicate: Json) -> None:
    parts = [BLOCK[name] for name in ("verdicts", "policy", "model")]
    assert predicate["verdicts_digest"] == digest_json(parts)
    assert predicate["block_digest"] == digest_json(BLOCK)
    assert str(issue.digest_block(BLOCK)) == digest_json(BLOCK)
    words = copy.deepcopy(BLOCK)
    words["import"]["remarks"][0]["detail"] += "!"
    assert CASE.build(words)["block_digest"] == str(issue.digest_block(words)) != digest_json(BLOCK)


def test_the_block_is_left_as_it_was() -> None:
    block = copy.deepcopy(BLOCK)
    CASE.build(block)
    assert block == BLOCK


def test_it_can_be_read_as_it_was_written(predicate: Json) -> None:
    statement = parse_statement(make_statement(predicate))
    assert json.loads(statement.payload)["predicate"] == predicate
    read, facts = statement.predicate, CASE.facts
    assert read.nonce == facts.nonce
    assert read.time_issued == MOMENT.replace(microsecond=123000)
    assert tuple(read.log) == (INTAKE.origin, INTAKE.index, INTAKE.leaf_hash)
    assert read.actor == facts.actor
    assert read.request.digest == facts.request.digest
    assert read.verifier == facts.verifier._replace(sandbox_level="limits")
    assert read.digests == CASE.digests
    assert read.supersedes == facts.supersedes
    assert read.verdicts[0].existence.offsets == (13, 57)
    subjects = [("answer", predicate["answer"]["sha256"]), ("document-0", sha256(MANUAL_FILE))]
    assert [(name, value.hex) for name, value in statement.subjects[:2]] == subjects


@FEW
@given(letters=st.lists(FOREIGN, min_size=1, max_size=5))
def test_no_word_of_answer_or_document_is_in_it(letters: list[str]) -> None:
    def say(text: str) -> str:
        return "".join(letters[at % len(letters)] for at in range(len(text)))

    case = make_case(say)
    predicate = case.build()
    make_statement(predicate)
    assert not json.dumps(block_to_json(case.block), ensure_ascii=False).isascii()
    assert json.dumps(predicate, ensure_ascii=False).isascii()
    assert predicate["answer"]["sha256"] == sha256(case.block.answer.prose)


@FEW
@given(text=st.text(CHARACTERS, max_size=9), ends=st.data())
def test_a_span_is_what_the_named_text_says_there(text: str, ends: st.DataObject) -> None:
    start = ends.draw(st.integers(0, len(text)))
    end = ends.draw(st.integers(start, len(text)))
    found = extract(make_document(MANUAL_FILE), text, "pdf@9", "none")
    predicate = CASE.look_at(found, Span(start, end)).build()
    (verdict,) = predicate["verdicts"]
    assert verdict["existence"]["span_sha256"] == sha256(text[start:end])
    (signed,) = predicate["documents"][0]["canonical_texts"]
    assert (signed["sha256"], signed["code_points"]) == (sha256(text), len(text))


@pytest.mark.parametrize("absent", [("char_start",), ("char_end",), ("char_start", "char_end")])
def test_without_both_offsets_there_is_no_span(absent: tuple[str, ...]) -> None:
    block = copy.deepcopy(BLOCK)
    block["verdicts"][0]["existence"] |= dict.fromkeys(absent)
    assert CASE.build(block)["verdicts"][0]["existence"]["span_sha256"] is None


def test_of_a_text_that_was_not_supplied_nothing_is_said() -> None:
    block = copy.deepcopy(BLOCK)
    block["verdicts"][0]["identity"]["extraction_id"] = digest("elsewhere")
    predicate = CASE.build(block)
    assert predicate["verdicts"][0]["existence"]["span_sha256"] is None
    assert predicate["documents"][0]["canonical_texts"] == [SCANNED_TEXT]
    nothing = replace(CASE, library=Library()).build()
    assert nothing["documents"] == []
    assert {verdict["existence"]["span_sha256"] for verdict in nothing["verdicts"]} == {None}


def test_used_is_what_a_verdict_names() -> None:
    used = issue.find_used(BLOCK, CASE.library)
    texts = [SCANNED_TEXT, READ_TEXT, LEASE_TEXT]
    assert list(used) == [text["extraction_id"] for text in texts]
    assert [sha256(each.text.text) for each in used.values()] == [each["sha256"] for each in texts]
    assert issue.find_used({"verdicts": []}, CASE.library) == {}


@FEW
@given(
    used=st.lists(st.sampled_from(LEVELS), min_size=3, max_size=3), other=st.sampled_from(LEVELS)
)
def test_the_sandbox_is_the_weakest_of_those_that_were_used(
    used: list[SandboxLevel], other: SandboxLevel
) -> None:
    ids = [text["extraction_id"] for text in (SCANNED_TEXT, READ_TEXT, LEASE_TEXT)]
    levels = dict(zip(ids, used, strict=True))
    sources = tuple(
        replace(
            source,
            extractions=tuple(
                replace(each, sandbox=levels.get(str(each.extraction_id), other))
                for each in source.extractions
            ),
        )
        for source in CASE.library.sources
    )
    predicate = replace(CASE, library=replace(CASE.library, sources=sources)).build()
    assert predicate["verifier"]["sandbox_level"] == min(used, key=LEVELS.index)
    texts = [text for each in predicate["documents"] for text in each["canonical_texts"]]
    assert [text["sandbox_level"] for text in texts] == used


def test_without_a_text_there_is_no_sandbox() -> None:
    predicate = CASE.put(verdicts=()).build()
    assert predicate["verifier"]["sandbox_level"] is None
    assert [each["canonical_texts"] for each in predicate["documents"]] == [[], [], []]


@FEW
@given(order=st.permutations(range(6)))
def test_a_document_has_the_names_that_cite_it_in_their_order(order: list[int]) -> None:
    answer = CASE.block.answer
    citations = tuple(answer.citations[index] for index in order)
    predicate = CASE.put(answer=replace(answer, citations=citations)).build()
    cited = [citation.doc_id for citation in citations]
    both = sorted(("manual", "handbook"), key=cited.index)
    names = [document["doc_ids"] for document in predicate["documents"]]
    # Neither a name that nobody cites, nor one that stands for no document.
    assert names == [both, ["lease"], []]
    assert predicate["repaired"] == [at for at, index in enumerate(order) if index in {2, 5}]


@pytest.mark.parametrize(
    ("given", "signed"),
    [(None, None), (0, 0), (2**53 - 1, 2**53 - 1), (2**53, None), (10**30, None)],
)
def test_an_offset_that_json_does_not_hold_is_none(given: int | None, signed: int | None) -> None:
    answer = CASE.block.answer
    quote = Quote(text="Invoices", start=given, end=given)
    citation = replace(answer.citations[0], quote=quote)
    predicate = CASE.put(answer=replace(answer, citations=(citation,))).build()
    (found,) = predicate["citations"]
    assert (found["char_start"], found["char_end"]) == (signed, signed)
    assert found["text_sha256"] == sha256("Invoices")


@FEW
@given(
    outcomes=st.lists(st.sampled_from(Outcome), max_size=6),
    worthy=st.lists(st.booleans(), max_size=4),
)
def test_the_summary_counts(outcomes: list[Outcome], worthy: list[bool]) -> None:
    verdict, sentence = CASE.block.verdicts[0], CASE.block.uncited_sentences[0]
    summary = CASE.put(
        verdicts=tuple(replace(verdict, outcome=outcome) for outcome in outcomes),
        uncited_sentences=tuple(replace(sentence, check_worthy=each) for each in worthy),
    ).build()["summary"]
    counts = {word: sum(each == word for each in outcomes) for word in ("pass", "fail", "review")}
    errors = len(outcomes) - sum(counts.values())
    assert summary["counts"] == {"verdicts": len(outcomes), "error": errors, **counts}
    assert summary["uncited_claims"] == len([each for each in worthy if each])


@pytest.mark.parametrize(
    ("number", "written"), [(0, "0.000000"), (1, "1.000000"), (1 / 3, "0.333333")]
)
def test_a_number_is_a_decimal_string_be_it_whole_or_not(number: float, written: str) -> None:
    policy = replace(CASE.block.policy, threshold=number, review_above=0, review_below=0)
    policy = replace(policy, contradiction_threshold=number, guard_band=number)
    predicate = CASE.put(citation_density=number, declared_density=number, policy=policy).build()
    assert predicate["summary"]["citation_density"] == written
    assert predicate["summary"]["declared"] == {"count": 6, "density": written}
    thresholds = dict.fromkeys(("entail", "neutral", "contradict", "margin"), written)
    assert predicate["policy"]["thresholds"] == thresholds


@pytest.mark.parametrize(
    ("name", "entail"), [("strict", None), ("other", None), ("careful", "0.980000")]
)
def test_thresholds_are_those_of_the_policy_with_the_model(name: str, entail: str | None) -> None:
    policy, model = replace(CASE.block.policy, name=name), CASE.block.model
    thresholds = EXPECTED["policy"]["thresholds"] | {"entail": entail}
    assert issue.thresholds_to_json(policy, model) == thresholds
    assert CASE.put(policy=policy).build()["policy"]["thresholds"] == thresholds


def test_what_is_not_known_is_null() -> None:
    request = replace(CASE.facts.request, policy=None, repair=None, sampled=None, toggles={})
    verifier = CASE.facts.verifier._replace(
        source_commit=None, lockfile_sha256=None, image_digest=None
    )
    facts = {"request": request, "verifier": verifier, "actor": NOBODY, "supersedes": None}
    predicate = CASE.state(**facts).build()
    make_statement(predicate)
    wishes: Json = {"policy": None, "repair": None, "sampled": None, "toggles": {}}
    assert predicate["request"] == EXPECTED["request"] | wishes
    unknown = {"source_commit": None, "lockfile_sha256": None, "image_digest": None}
    assert predicate["verifier"] == EXPECTED["verifier"] | unknown
    assert predicate["actor"] == {"key_id": None, "oidc_sub_hash": None}
    assert predicate["supersedes"] is None


def test_the_moment_is_written_in_utc() -> None:
    east = MOMENT.astimezone(timezone(timedelta(hours=2)))
    assert CASE.state(time_issued=east).build()["time_issued"] == EXPECTED["time_issued"]


@FEW
@given(digests=st.builds(InputDigests, *[DIGESTS] * 6))
def test_digests_are_written_with_their_prefix_or_null(digests: InputDigests) -> None:
    written = {
        name: None if each is None else f"sha256:{each.hex}"
        for name, each in digests._asdict().items()
    }
    assert issue.digests_to_json(digests) == written
    assert replace(CASE, digests=digests).build()["digests"] == written


@FEW
@given(actor=st.builds(Actor, st.none() | st.text("key-07", max_size=9), DIGESTS))
def test_an_actor_is_read_as_it_was_written(actor: Actor) -> None:
    written = issue.actor_to_json(actor)
    assert issue.read_actor(json.loads(json.dumps(written))) == actor
    assert CASE.state(actor=actor).build()["actor"] == written


def test_who_is_not_written_down_is_nobody() -> None:
    assert issue.read_actor(None) == NOBODY == Actor(key_id=None, oidc_sub_hash=None)
    others: list[Any] = [{}, [], "key-7", {"key_id": "key-7"}, {"key_id": 7, "oidc_sub_hash": None}]
    for value in others:
        with pytest.raises(MalformedReceiptError, match="the actor"):
            issue.read_actor(value)
