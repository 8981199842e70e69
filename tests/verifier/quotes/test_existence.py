from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Quote
from spanproof.core.span import Span, from_codepoint
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import check_existence, find_quote
from tests.builders import make_extraction
from tests.strategies import with_layout

if TYPE_CHECKING:
    from spanproof.core.verdicts.verdict import Existence

TEXT = (
    "The tenant pays the fee within four business days. Late pay-\nments carry interest at 5.5 % a "
    "year. The court rejected the argument that the file was lost. Nobody else was in the building "
    "when the alarm was raised by the neighbour. The deposit is returned at the end of the lease."
)


def check(quote: str, start: int | None = None, end: int | None = None) -> Existence:
    given = Quote(text=quote, start=start, end=end)
    return check_existence(given, make_extraction(TEXT), ())[0]


def test_a_quote_at_its_offsets_is_exact_whatever_stands_elsewhere() -> None:
    text = "one fee, one fee, one fee"
    existence, codes = check_existence(
        Quote(text="one fee", start=9, end=16), make_extraction(text), ()
    )
    assert (existence.status, existence.span, codes) == (
        ExistenceStatus.EXACT,
        Span(9, 16),
        (),
    )


def test_a_trailing_blank_that_the_source_lacks_is_not_exact() -> None:
    # A published verifier strips both sides before it compares.
    start = TEXT.index("a year.")
    existence = check("a year.  ", start, start + 7)
    assert existence.status not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}


def test_a_fold_at_the_offsets_is_fold_equal_and_listed() -> None:
    start = TEXT.index("Late")
    existence = check("Late payments carry", start, start + len("Late pay-\nments carry"))
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("line_end_hyphen",)


def test_stale_offsets_are_moved() -> None:
    existence = check("four business days", 3, 21)
    assert existence.status is ExistenceStatus.MOVED
    assert existence.span == Span(31, 49)


def test_a_moved_quote_lists_its_folds() -> None:
    existence = check("Late payments carry", 0, 10)
    assert existence.status is ExistenceStatus.MOVED
    assert existence.folds == ("line_end_hyphen",)


@pytest.mark.parametrize("twin", ["the fee is due", "the fee\nis due"])
def test_two_places_are_never_moved(twin: str) -> None:
    text = f"First the fee is due today. Then {twin} again."
    existence, _ = check_existence(
        Quote(text="the fee is due", start=0, end=14), make_extraction(text), ()
    )
    assert existence.status is ExistenceStatus.AMBIGUOUS
    assert len(existence.candidates) == 2


def test_without_offsets_one_place_is_exact_with_a_code() -> None:
    existence, codes = check_existence(Quote(text="four business days"), make_extraction(TEXT), ())
    assert existence.status is ExistenceStatus.EXACT
    assert codes == ("OFFSETS_NOT_GIVEN",)


def test_without_offsets_several_places_are_ambiguous() -> None:
    existence = find_quote("fee", make_extraction("fee and fee"))
    assert existence.status is ExistenceStatus.AMBIGUOUS
    assert [c.span for c in existence.candidates] == [Span(0, 3), Span(8, 11)]


def test_without_offsets_one_fold_is_fold_equal() -> None:
    assert find_quote("Late payments", make_extraction(TEXT)).status is ExistenceStatus.FOLD_EQUAL


def test_a_quote_of_another_supplied_document_is_misattributed() -> None:
    other = make_extraction("The landlord insures the building against fire.")
    quote = Quote(text="insures the building against fire", start=0, end=5)
    existence, _ = check_existence(quote, make_extraction(TEXT), (make_extraction(TEXT), other))
    assert existence.status is ExistenceStatus.MISATTRIBUTED
    assert existence.span is None
    (place,) = existence.candidates
    assert place.doc_hash == other.document.doc_hash
    assert other.text.slice(place.span) == quote.text


def test_pieces_that_stand_apart_are_stitched() -> None:
    quote = "The tenant pays the fee within raised by the neighbour. The deposit is returned"
    existence = check(quote)
    assert existence.status is ExistenceStatus.STITCHED
    pieces = [TEXT[c.span.start : c.span.end] for c in existence.candidates]
    assert " ".join(pieces) == quote


DIRECTIVE = (
    "Emergency AD 2018-20-02 came before it. The operator must inspect the blades of each engine. "
    "Some of them were cracked. Before further flight the crew must read Emergency AD 2018–23–51 "
    "and revise the flight manual of the aircraft. Nothing else changes for the operators here."
)
PROCEEDINGS = (
    "Printed in the Proceedings of the ACM SIGPLAN 2989 workshop. Many more papers were read. They "
    "were short. It appeared in the Proceedings of the ACM SIGPLAN 1989 Conference on Programming "
    "Language Design and Implementation in Portland. It was cited often."
)


def test_a_dash_changed_in_place_is_altered_not_stitched() -> None:
    passage = DIRECTIVE[DIRECTIVE.index("Before") : DIRECTIVE.index(" Nothing")]
    # The first piece also stands at the start, so that its first occurrence lies far away.
    text = "Before further flight the crew must read Emergency AD forms. It is short. " + DIRECTIVE
    for start in (None, text.index(passage)):
        quote = Quote(
            text=passage.replace("–", "-"), start=start, end=start and start + len(passage)
        )
        existence, _ = check_existence(quote, make_extraction(text), ())
        assert existence.status is ExistenceStatus.ALTERED
        assert existence.difference is not None
        assert {(e.quote, e.source) for e in existence.difference.edits} == {("-", "–")}
        assert all(edit.protected for edit in existence.difference.edits)


def test_a_piece_is_judged_by_its_occurrence_nearest_to_the_others() -> None:
    text = PROCEEDINGS.replace("2989", "1979")
    passage = text[text.rindex("Proceedings") : text.index(" in Portland")]
    existence = find_quote(passage.replace("1989", "2089"), make_extraction(text))
    assert existence.status is ExistenceStatus.ALTERED
    assert existence.difference is not None
    (edit,) = existence.difference.edits
    assert (edit.quote, edit.source, edit.protected) == ("2089", "1989", True)


@pytest.mark.parametrize("offsets", [False, True])
def test_a_passage_with_one_number_taken_from_elsewhere_is_altered(*, offsets: bool) -> None:
    # The longest piece stands elsewhere alone, and its own place keeps all of the quote but a word.
    start = PROCEEDINGS.rindex("Proceedings")
    end = PROCEEDINGS.index(" in Portland")
    quote = Quote(
        text=PROCEEDINGS[start:end].replace("1989", "2989"),
        start=start if offsets else None,
        end=end if offsets else None,
    )
    existence, _ = check_existence(quote, make_extraction(PROCEEDINGS), ())
    assert (existence.status, existence.span) == (ExistenceStatus.ALTERED, Span(start, end))
    assert existence.difference is not None
    (edit,) = existence.difference.edits
    assert (edit.quote, edit.source, edit.protected) == ("2989", "1989", True)


def test_of_two_places_equally_near_the_one_at_the_offsets_is_shown() -> None:
    text = "The fee is due within 30 days of it. No. The fee is due within 40 days of it."
    start = text.rindex("The fee")
    quote = Quote(text="The fee is due within 50 days of it.", start=start, end=len(text))
    existence, _ = check_existence(quote, make_extraction(text), ())
    assert (existence.status, existence.span) == (ExistenceStatus.ALTERED, Span(start, len(text)))


@pytest.mark.parametrize("given", [None, (0, 31), (0, 79)])
@pytest.mark.parametrize(
    "quote",
    [
        "The tenant pays the fee within raised by the neighbour. The deposit is returned",
        "The tenant pays the fee within four business days. The deposit is returned at the end",
        "The deposit is returned at the end The court rejected the argument that the file was lost",
    ],
)
def test_a_true_stitch_stays_stitched(quote: str, given: tuple[int, int] | None) -> None:
    start, end = given or (None, None)
    assert check(quote, start, end).status is ExistenceStatus.STITCHED


def test_a_stitch_of_a_long_and_a_short_piece_of_the_same_words_stays_stitched() -> None:
    first = (
        "The supplier shall deliver the goods to the customer at the place that is named in the "
        "order and on the day that is named there"
    )
    text = f"{first}, at its cost. It is late. It is long. It asks for notice of the end. Then."
    existence = find_quote(f"{first} asks for notice of the end", make_extraction(text))
    assert existence.status is ExistenceStatus.STITCHED


def test_a_gap_of_a_few_words_is_altered_not_stitched() -> None:
    existence = check("The tenant pays the fee days. Late pay-\nments carry interest at 5.5 %")
    assert existence.status is ExistenceStatus.ALTERED


@pytest.mark.parametrize(
    ("quote", "theirs", "ours", "protected"),
    [
        ("pays the fee within six business days", "six", "four", True),
        ("carry interest at 55 % a year", "55", "5.5", True),
        ("The court accepted the argument that", "accepted", "rejected", False),
        ("The court rejected the claim that the file", "claim", "argument", False),
    ],
)
def test_a_changed_word_is_altered_with_the_difference(
    quote: str, theirs: str, ours: str, *, protected: bool
) -> None:
    existence = check(quote)
    assert existence.status is ExistenceStatus.ALTERED
    assert existence.span is not None
    assert existence.difference is not None
    (edit,) = existence.difference.edits
    assert (edit.quote, edit.source, edit.protected) == (theirs, ours, protected)
    assert TEXT[edit.span.start : edit.span.end] == ours
    assert existence.difference.source == TEXT[existence.span.start : existence.span.end]


def test_a_refused_fold_is_altered() -> None:
    existence = find_quote("the notable file", make_extraction("see the no-\ntable file here"))
    assert existence.status is ExistenceStatus.ALTERED


def test_words_that_stand_nowhere_are_absent() -> None:
    assert check("purple elephants juggle seven oranges").status is ExistenceStatus.ABSENT


@pytest.mark.parametrize("quote", ["", "  ", "\u200b", "\n\u2060"])
def test_an_empty_quote_is_absent(quote: str) -> None:
    existence, codes = check_existence(
        Quote(text=quote, start=0, end=len(quote)), make_extraction("  \u200b\n\u2060x"), ()
    )
    assert (existence.status, codes) == (ExistenceStatus.ABSENT, ("QUOTE_EMPTY",))


def test_a_document_without_text_is_unverifiable() -> None:
    assert find_quote("fee", make_extraction("", scanned=True)).status is (
        ExistenceStatus.UNVERIFIABLE
    )


def test_absent_says_where_pages_have_no_text() -> None:
    extraction = make_extraction("some text")
    (page,) = extraction.pages
    empty = replace(page, number=2, span=Span(9, 9), text_source="none")
    pages = replace(extraction, pages=(page, empty))
    existence, codes = check_existence(Quote(text="purple elephants"), pages, ())
    assert (existence.status, codes) == (ExistenceStatus.ABSENT, ("PAGES_WITHOUT_TEXT",))


@pytest.mark.parametrize("given", [(4000, 4010), (10, 4000)])
def test_offsets_beyond_the_text_go_on_down_the_ladder(given: tuple[int, int]) -> None:
    quote = Quote(text="four business days", start=given[0], end=given[1])
    existence, codes = check_existence(quote, make_extraction(TEXT), ())
    assert (existence.status, codes) == (ExistenceStatus.MOVED, ("SPAN_OUT_OF_RANGE",))


@pytest.mark.parametrize("unit", ["utf16", "utf8"])
def test_offsets_in_another_unit_are_converted(unit: str) -> None:
    text = "Fee 𝑉 – naïve “terms” apply."
    start, end = text.index("naïve"), text.index(" apply")
    quote = Quote(
        text=text[start:end],
        start=from_codepoint(text, start, unit),  # type: ignore[arg-type]
        end=from_codepoint(text, end, unit),  # type: ignore[arg-type]
        unit=unit,  # type: ignore[arg-type]
    )
    existence, _ = check_existence(quote, make_extraction(text), ())
    assert (existence.status, existence.span) == (ExistenceStatus.EXACT, Span(start, end))


def test_an_offset_inside_a_character_is_out_of_range() -> None:
    _, codes = check_existence(
        Quote(text="𝑉", start=1, end=2, unit="utf16"), make_extraction("𝑉 x"), ()
    )
    assert "SPAN_OUT_OF_RANGE" in codes


def test_hidden_characters_are_named() -> None:
    text = "seen hidden seen"
    for extraction in (
        with_layout(text, invisible=range(5, 11)),
        with_layout(text, offpage=range(5, 11)),
    ):
        _, codes = check_existence(Quote(text="hidden seen", start=5, end=16), extraction, ())
        assert "HIDDEN_TEXT" in codes
        _, codes = check_existence(Quote(text="seen", start=0, end=4), extraction, ())
        assert "HIDDEN_TEXT" not in codes


def test_an_ocr_layer_is_named_and_not_hidden() -> None:
    extraction = with_layout("scanned text", invisible=range(12))
    page = replace(extraction.pages[0], text_source="ocr_layer")
    layered = replace(extraction, pages=(page,))
    _, codes = check_existence(Quote(text="scanned", start=0, end=7), layered, ())
    assert codes == ("OCR_LAYER",)


@pytest.mark.parametrize(
    ("text", "quote"), [("unlawful conduct", "lawful conduct"), ("pay 15 days", "5 days")]
)
def test_a_span_that_cuts_a_word_or_number_says_so(text: str, quote: str) -> None:
    _, codes = check_existence(Quote(text=quote), make_extraction(text), ())
    assert "SPAN_CUTS_TOKEN" in codes


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("interest of 13 % a year", "3 % a year"),
        ("a fall to 120.3 % of it", "3 % of it"),
        ("a fall to 3.25 per cent", "a fall to 3.2"),
        ("it was -4.2 degrees", "4.2 degrees"),
        ("it was minus 4 degrees", "4 degrees"),
        ("sales of 1,250 units", "250 units"),
        ("revenue was 45 million", "revenue was 45"),
        ("it rose by 45 %", "it rose by 45"),
        ("the buyer is unable to pay", "able to pay"),
        ("a non-refundable fee", "refundable fee"),
        ("an un-\nlawful act", "lawful act"),
        ("an ex-\ndirector of it", "director of it"),
        ("the buyer cannot pay", "the buyer can"),
        ("the buyer isn't bound", "the buyer is"),
        ("a harmless dye", "a harm"),
    ],
)
def test_a_span_that_cuts_off_what_turns_the_rest_says_so(text: str, quote: str) -> None:
    _, codes = check_existence(Quote(text=quote), make_extraction(text), ())
    assert "SPAN_CUTS_MEANING" in codes


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("an in-house team", "house team"),
        ("- 3 apples", "3 apples"),
        ("version 3. Then", "version 3"),
        ("in 2020, 3 people came", "3 people came"),
        ("the paint is lead, not tin", "the paint is lead"),
        ("pay 45 pounds", "pay 45"),
        ("internationally known", "nationally known"),
        ("as laid down in\nvalid contracts", "valid contracts"),
        ("Dolor non\nSed porro", "Sed porro"),
    ],
)
def test_other_cuts_do_not(text: str, quote: str) -> None:
    _, codes = check_existence(Quote(text=quote), make_extraction(text), ())
    assert "SPAN_CUTS_MEANING" not in codes


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a" * 1_000_000, "a" * 100_000 + "b"),
        ("a" * 1_000_000, "-a" * 500),
        ("a " * 500_000, "a " * 5_000 + "b"),
        ("lorem ipsum " * 80_000, "dolor sit " * 10_000),
        ("日本語" * 100_000, "日本" * 5_000),
        ("é-" * 500_000, "é" * 200),
    ],
)
def test_hostile_input_stays_bounded(text: str, quote: str) -> None:
    started = time.process_time()
    existence, codes = check_existence(Quote(text=quote, start=1, end=9), make_extraction(text), ())
    # Generous for a loaded machine; without the caps these take minutes.
    assert time.process_time() - started < 10
    assert existence.status is not ExistenceStatus.EXACT
    if len(quote) > 20_000 and existence.status is ExistenceStatus.ABSENT:
        assert "QUOTE_TOO_LONG" in codes
