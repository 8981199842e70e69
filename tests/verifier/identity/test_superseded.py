from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.documents.document import Library, Source
from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.identity.superseded import find_superseding
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verification_block import VerificationBlock

RULE = "Refunds are paid within four business days."
OLD = make_extraction(f"Page 1\n{RULE}\nNotices are sent by post.", pipeline="plain@1")


def read_again(text: str, *, pipeline: str = "plain@2", ocr: bool = False) -> Extraction:
    """Another extraction of the same document."""
    made = make_extraction(text, pipeline=pipeline)
    pages = (replace(made.pages[0], text_source="ocr"),) if ocr else made.pages
    return replace(made, document=OLD.document, pages=pages)


def check(*newer: Extraction, policy: str = "balanced", **given: Any) -> VerificationBlock:
    """An answer that cites the rule in the old extraction, of which newer ones are kept."""
    start = OLD.text.text.index(RULE)
    citation = {
        "anchor": 1,
        "doc_hash": str(OLD.document.doc_hash),
        "extraction_id": str(OLD.extraction_id),
        "span": {"text": RULE, "char_start": start, "char_end": start + len(RULE)},
    } | given
    raw = json.dumps({"answer": "Refunds take four days [1].", "citations": [citation]}).encode()
    source = Source(document=OLD.document, extractions=(*newer, OLD))
    return verify(
        parse_answer(raw).answer,
        Library(sources=(source,)),
        ScriptedModel(),
        load_policy(policy),
        verified_at=MOMENT,
    )


def test_words_that_stand_once_in_the_newest_text_are_given_there() -> None:
    newest = read_again(f"A new head line\nPage 1\n{RULE}\nNotices are sent by post.")
    verdict = check(newest).verdicts[0]
    start = newest.text.text.index(RULE)
    assert verdict.existence.status is ExistenceStatus.EXACT
    assert verdict.identity.extraction_id == OLD.extraction_id
    assert verdict.identity.newest is not None
    assert verdict.identity.newest.extraction_id == newest.extraction_id
    assert verdict.identity.newest.span == Span(start, start + len(RULE))
    assert "EXTRACTION_SUPERSEDED" in verdict.codes
    assert str(start) in verdict.notes


@pytest.mark.parametrize("policy", NAMES)
def test_an_older_text_is_never_accepted_in_silence(policy: str) -> None:
    newest = read_again(OLD.text.text + "\n")
    assert check(newest, policy=policy).verdicts[0].outcome is Outcome.REVIEW


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f"{RULE}\n{RULE}", "AMBIGUOUS"),
        ("Refunds are paid within five business days.", "ALTERED"),
        ("Nothing of the kind is written here.", "ABSENT"),
    ],
)
def test_nothing_is_guessed_where_the_words_are_not_at_one_place(text: str, status: str) -> None:
    block = check(read_again(text))
    newest = block.verdicts[0].identity.newest
    assert newest is not None
    assert (newest.status, newest.span) == (status, None)
    shown = block_to_json(block)["verdicts"][0]["identity"]["newest"]
    assert shown is not None
    assert (shown["char_start"], shown["char_end"]) == (None, None)
    assert block.verdicts[0].existence.status is ExistenceStatus.EXACT


def test_the_source_s_own_words_are_looked_for_and_not_the_quote() -> None:
    quote = {"text": RULE.replace(" paid", "\npaid"), "char_start": 7, "char_end": 7 + len(RULE)}
    newest = check(read_again(OLD.text.text + "\n"), span=quote).verdicts[0].identity.newest
    assert newest is not None
    assert newest.status is ExistenceStatus.EXACT


def test_a_quote_without_a_place_has_none_in_the_newest_text() -> None:
    verdict = check(read_again(OLD.text.text + "\n"), span={"text": "No such words"}).verdicts[0]
    assert verdict.identity.newest is not None
    assert verdict.identity.newest.status is ExistenceStatus.NOT_RUN
    assert verdict.outcome is Outcome.FAIL


def test_the_newest_text_itself_is_no_older_one() -> None:
    verdict = check().verdicts[0]
    assert verdict.identity.newest is None
    assert "EXTRACTION_SUPERSEDED" not in verdict.codes
    newest = read_again("A text")
    source = Source(document=OLD.document, extractions=(newest, OLD))
    assert find_superseding(source, newest) is None
    assert find_superseding(source, OLD) is newest


def test_ocr_replaces_only_ocr() -> None:
    scanned = read_again("A text", pipeline="ocr@1", ocr=True)
    again = read_again("A text", pipeline="ocr@2", ocr=True)
    source = Source(document=OLD.document, extractions=(again, scanned, OLD))
    assert find_superseding(source, OLD) is None
    assert find_superseding(source, scanned) is again


def test_a_pipeline_that_is_named_counts_as_much_as_an_extraction() -> None:
    verdict = check(
        read_again(OLD.text.text + "\n"), extraction_id=None, extraction_pipeline="plain@1"
    ).verdicts[0]
    assert "EXTRACTION_SUPERSEDED" in verdict.codes


def test_ocr_of_single_lines_replaces_no_text() -> None:
    def by_lines(dpi: int) -> Extraction:
        made = read_again(OLD.text.text, pipeline=f"plain@1+ocr-eng-{dpi}")
        config = f'{{"name":"plain","ocr":{{"dpi":{dpi}}}}}'
        return replace(made, pipeline=replace(made.pipeline, config_json=config))

    first, second = by_lines(150), by_lines(300)
    source = Source(document=OLD.document, extractions=(second, first, OLD))
    assert find_superseding(source, OLD) is None
    assert find_superseding(source, second) is None
    assert find_superseding(source, first) is second
    assert "EXTRACTION_SUPERSEDED" not in check(second).verdicts[0].codes
