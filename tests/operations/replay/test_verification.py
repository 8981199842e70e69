"""A verification replays to the same bytes, and whatever was changed since is found.

The store, the parser and the embedded model are the real ones; all tests share one home.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.documents.document import Pipeline
from spanproof.core.errors import MalformedAnswerError, VerificationNotFoundError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.replay.differences import LOGIT_TOLERANCE, find_differences
from spanproof.operations.replay.verification import (
    ReplayStatus,
    _digest_stored,
    load_file,
    load_stored,
    replay,
)
from spanproof.operations.settings import Settings
from spanproof.operations.verification.verify import verify_payload
from spanproof.verifier.entailment.cache import CachedEntailment
from spanproof.verifier.entailment.null import EntailmentNotRunWarning
from tests.engines import needs_mupdf
from tests.sources import SENTENCE as PDF_SENTENCE
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.replay.judging import StoredBlock

pytestmark = pytest.mark.model

PAID = "Approved invoices are paid within four business days of their receipt."
RATE = "The rate of interest is 3.5 per cent."
TEXT = f"1. Payment\n{PAID}\n{RATE}\nAll doors are locked at night.\n"
OTHER = "Invoices of suppliers abroad are paid within ten business days.\n"
ANSWER = "Approved invoices are paid within four business days [1]. The rate is 4.5 percent [2]."


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """Context of one home with two documents."""
    home = tmp_path_factory.mktemp("replay") / "home"
    with open_context(Settings(home=home, cross_check_rate=0.0)) as context:
        _ingest(context, TEXT, "rules")
        _ingest(context, OTHER, "other")
        yield context


def _ingest(context: Context, text: str | bytes, doc_id: str) -> None:
    content = text.encode() if isinstance(text, str) else text
    ingest_stream(context, [content], media_type=None, filename=None, doc_id=doc_id)


def _verify(context: Context, **changes: Any) -> dict[str, Any]:
    """A verified answer as the doors give it."""
    payload = {
        "answer": ANSWER,
        "documents": ["other"],
        "citations": [
            {"anchor": 1, "doc_id": "rules", "span": {"text": PAID}},
            {"anchor": 2, "doc_id": "rules", "span": {"text": RATE}},
        ],
    }
    raw = json.dumps(payload | changes, indent=1).encode()
    return json.loads(json.dumps(verify_payload(context, raw).response))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def verified(kept: Context) -> dict[str, Any]:
    """One verification of the shared home."""
    return _verify(kept)


@pytest.fixture
def stored(kept: Context, verified: dict[str, Any]) -> StoredBlock:
    """The same as it is kept, for a test to change."""
    found = load_stored(kept, verified["verification_id"])
    return replace(found, block=copy.deepcopy(found.block))


def test_it_replays_to_the_same_digest(kept: Context, stored: StoredBlock) -> None:
    report = replay(kept, stored)
    assert report.status is ReplayStatus.REPLAYED
    assert report.differences == ()
    assert report.recomputed_digest == report.stored_digest == stored.block["verdicts_digest"]


def _set(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(block: dict[str, Any]) -> None:
        place: Any = block
        for part in path[:-1]:
            place = place[part]
        assert place[path[-1]] != to
        place[path[-1]] = to

    return change


TAMPERED = [
    (_set("result", to="pass"), "/result"),
    (_set("citation_level", to="GREEN"), "/citation_level"),
    (_set("verdicts_digest", to="sha256:" + "0" * 64), "/verdicts_digest"),
    (_set("verdicts", 1, "outcome", to="pass"), "/verdicts/1/outcome"),
    (_set("verdicts", 1, "support", "status", to="ENTAILED"), "/verdicts/1/support/status"),
    (_set("verdicts", 0, "support", "p_entailment", to=0.5), "/verdicts/0/support/p_entailment"),
    (_set("verdicts", 0, "claim", "text", to="Another claim."), "/verdicts/0/claim/text"),
    (_set("verdicts", 0, "existence", "char_start", to=3), "/verdicts/0/existence/char_start"),
    (_set("verdicts", 1, "support", "vetoes", to=[]), "/verdicts/1/support/vetoes/0"),
    (_set("verdicts", 0, "notes", to="Fine."), "/verdicts/0/notes"),
    (_set("unused_citations", to=[7]), "/unused_citations/0"),
]


@pytest.mark.parametrize("is_consistent", [False, True])
@pytest.mark.parametrize(("change", "path"), TAMPERED)
def test_a_changed_block_is_found(
    kept: Context,
    stored: StoredBlock,
    change: Callable[[dict[str, Any]], None],
    path: str,
    is_consistent: bool,
) -> None:
    change(stored.block)
    if is_consistent and path != "/verdicts_digest":
        stored.block["verdicts_digest"] = _digest_stored(stored.block)
    report = replay(kept, stored)
    assert report.status is ReplayStatus.DIFFERS
    assert path in {each.path for each in report.differences}


def test_a_verdict_that_was_taken_out_is_found(kept: Context, stored: StoredBlock) -> None:
    del stored.block["verdicts"][1]
    stored.block["verdicts_digest"] = _digest_stored(stored.block)
    report = replay(kept, stored)
    assert report.status is ReplayStatus.DIFFERS
    assert "/verdicts/1" in {each.path for each in report.differences}


def _shift(block: dict[str, Any], by: float, *, p: float) -> None:
    support = block["verdicts"][0]["support"]
    support["logits"]["entailed"] += by
    support["p_entailment"] = round(support["p_entailment"] - p, 6)
    block["verdicts_digest"] = _digest_stored(block)


def test_what_another_cpu_rounds_away_conforms(kept: Context, stored: StoredBlock) -> None:
    _shift(stored.block, LOGIT_TOLERANCE / 2, p=1e-4)
    report = replay(kept, stored)
    assert report.status is ReplayStatus.CONFORMS
    assert report.greatest_logit_difference == pytest.approx(LOGIT_TOLERANCE / 2)
    assert report.recomputed_digest != report.stored_digest


@pytest.mark.parametrize(("by", "p"), [(2 * LOGIT_TOLERANCE, 0.0), (0.0, 0.01)])
def test_what_it_does_not_differs(kept: Context, stored: StoredBlock, by: float, p: float) -> None:
    _shift(stored.block, by, p=p)
    assert replay(kept, stored).status is ReplayStatus.DIFFERS


def test_numbers_that_were_shifted_under_an_old_digest_differ(
    kept: Context, stored: StoredBlock
) -> None:
    digest = stored.block["verdicts_digest"]
    _shift(stored.block, LOGIT_TOLERANCE / 2, p=0.0)
    stored.block["verdicts_digest"] = digest
    assert replay(kept, stored).status is ReplayStatus.DIFFERS


def test_a_reading_that_was_poisoned_is_found(kept: Context) -> None:
    model = kept.require_model()
    assert isinstance(model, CachedEntailment)
    honest = _verify(kept)
    held = dict(model._held)
    for key, reading in held.items():
        swapped = tuple(tuple(-logit for logit in row) for row in reading.logits)
        model._held[key] = replace(reading, logits=swapped)
    poisoned = _verify(kept)
    assert poisoned["verification"]["verdicts"] != honest["verification"]["verdicts"]
    report = replay(kept, load_stored(kept, poisoned["verification_id"]))
    model._held.update(held)
    assert report.status is ReplayStatus.DIFFERS


def test_a_newer_extraction_changes_nothing(kept: Context, tmp_path: Path) -> None:
    text = "The tenant pays the rent on the first day of each month.\nNothing else is due.\n"
    quote = "The tenant pays the rent on the first day of each month."
    _ingest(kept, text, "lease")
    answer = {
        "answer": "The rent is paid on the first day of the month [1].",
        "documents": ["lease"],
        "citations": [{"anchor": 1, "doc_id": "lease", "span": {"text": quote}}],
    }
    # One that cites the document, and one that only brings it along.
    cited = _verify(kept, **answer)
    elsewhere = _verify(
        kept,
        **answer | {"citations": [{"anchor": 1, "doc_id": "rules", "span": {"text": quote}}]},
    )
    assert cited["verification"]["verdicts"][0]["existence"]["status"] == "EXACT"
    assert elsewhere["verification"]["verdicts"][0]["existence"]["status"] == "MISATTRIBUTED"
    _extract_anew(kept, "lease", "Somebody reads the page quite otherwise now.")
    again = _verify(kept, **answer)
    assert again["verification"]["verdicts"][0]["existence"]["status"] == "ABSENT"
    for each in (cited, elsewhere, again):
        report = replay(kept, load_stored(kept, each["verification_id"]))
        assert report.status is ReplayStatus.REPLAYED, report.differences
    path = _write(tmp_path, cited)
    assert replay(kept, load_file(kept, path)).status is ReplayStatus.REPLAYED


def _extract_anew(context: Context, doc_id: str, text: str) -> None:
    """What a newer pipeline makes of the same bytes."""
    documents = context.store.documents
    record = documents.find(doc_id)
    assert record is not None
    old = documents.load_extraction(record.current_extraction.extraction_id)
    (page,) = old.pages
    new = replace(
        old,
        pipeline=Pipeline(name="plain@next", config_json='{"name":"plain@next"}'),
        text=CanonicalText.of(text),
        pages=(replace(page, span=Span(0, len(text))),),
        blocks=(),
    )
    with context.store.blobs.stage() as staged:
        staged.write(documents.read_source(old.document.doc_hash))
        documents.add(new, staged, doc_id=doc_id, title=None, added_at=datetime.now(UTC))


def test_a_name_that_moved_on_is_read_as_it_was(kept: Context) -> None:
    _ingest(kept, "The lift is closed on Sundays.\n", "notice")
    citation = {"anchor": 1, "doc_id": "notice", "span": {"text": "The lift is closed on Sundays."}}
    before = _verify(kept, answer="The lift is closed on Sundays [1].", citations=[citation])
    _ingest(kept, "The lift is open every day.\n", "notice")
    after = _verify(kept, answer="The lift is closed on Sundays [1].", citations=[citation])
    assert before["verification"]["result"] != after["verification"]["result"]
    for each in (before, after):
        report = replay(kept, load_stored(kept, each["verification_id"]))
        assert report.status is ReplayStatus.REPLAYED, report.differences


def test_a_document_that_came_later_was_not_there(kept: Context) -> None:
    text = "The roof was mended in spring.\n"
    citation = {"anchor": 1, "doc_id": "roof", "span": {"text": text.strip()}}
    before = _verify(kept, answer="The roof was mended [1].", citations=[citation])
    assert before["verification"]["result"] == "error"
    _ingest(kept, text, "roof")
    report = replay(kept, load_stored(kept, before["verification_id"]))
    assert report.status is ReplayStatus.REPLAYED, report.differences


def _write(folder: Path, response: dict[str, Any]) -> Path:
    path = folder / "verified.json"
    path.write_text(json.dumps(response), encoding="utf-8")
    return path


def test_a_file_replays_in_another_store_once_its_documents_are_there(
    kept: Context, verified: dict[str, Any], tmp_path: Path
) -> None:
    path = _write(tmp_path, verified)
    settings = Settings(home=tmp_path / "auditor")
    with open_context(settings, model=kept.require_model()) as auditor:
        nothing = replay(auditor, load_file(auditor, path))
        assert nothing.status is ReplayStatus.NOT_CHECKED
        assert nothing.problem is not None
        assert nothing.problem.code == "DOCUMENT_NOT_FOUND"
        _ingest(auditor, TEXT, "rules")
        _ingest(auditor, OTHER, "other")
        report = replay(auditor, load_file(auditor, path))
    assert report.status is ReplayStatus.REPLAYED, report.differences


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_set("model", "weights_sha256", to="0" * 64), "weights_sha256"),
        (_set("model", "runtime", to="another@1"), "runtime"),
        (_set("model", "calibration", to="another"), "calibration"),
        (_set("policy", "digest", to="sha256:" + "0" * 64), "policy"),
        (_set("policy", "name", to="lenient"), "policy"),
        (_set("verifier_version", to="spanproof@9.9.9"), "spanproof@9.9.9"),
        (_set("import", "format", to="runes"), "runes"),
        (
            _set("verdicts", 0, "identity", "extraction_id", to="sha256:" + "0" * 64),
            "extraction sha256:0000",
        ),
    ],
)
def test_another_verifier_could_not_check(
    kept: Context, stored: StoredBlock, change: Callable[[dict[str, Any]], None], what: str
) -> None:
    change(stored.block)
    report = replay(kept, stored)
    assert report.status is ReplayStatus.NOT_CHECKED
    assert report.problem is not None
    assert what in report.problem.message
    assert report.problem.hint


def test_without_the_model_it_could_not_be_checked(
    kept: Context, stored: StoredBlock, tmp_path: Path
) -> None:
    settings = kept.settings.model_copy(update={"model": tmp_path / "nowhere"})
    with open_context(settings) as lacking:
        report = replay(lacking, stored)
    assert report.status is ReplayStatus.NOT_CHECKED
    assert report.problem is not None
    assert "nowhere" in report.problem.message


def test_that_no_model_judged_replays_too(kept: Context, tmp_path: Path) -> None:
    settings = kept.settings.model_copy(update={"model": tmp_path / "nowhere"})
    with open_context(settings) as lacking:
        with pytest.warns(EntailmentNotRunWarning):
            response = _verify(lacking)
        assert response["verification"]["result"] != "pass"
        with pytest.warns(EntailmentNotRunWarning):
            report = replay(kept, load_stored(kept, response["verification_id"]))
    assert report.status is ReplayStatus.REPLAYED, report.differences


@needs_mupdf
def test_what_the_second_engine_read_is_read_again(kept: Context) -> None:
    _ingest(kept, make_pdf(), "agreement")
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": PDF_SENTENCE}}
    asking = kept.settings.model_copy(update={"cross_check_rate": 1.0})
    answer = {"answer": "Defective goods are replaced [1].", "citations": [citation]}
    with open_context(asking, model=kept.require_model()) as other:
        response = _verify(other, **answer)
    (verdict,) = response["verification"]["verdicts"]
    assert verdict["locator"]["witness"]["status"] == "AGREES"
    # This one would ask of no span by itself.
    report = replay(kept, load_stored(kept, response["verification_id"]))
    assert report.status is ReplayStatus.REPLAYED, report.differences


def test_an_unknown_id_and_a_file_that_is_none_are_errors(kept: Context, tmp_path: Path) -> None:
    with pytest.raises(VerificationNotFoundError):
        load_stored(kept, "nobody")
    path = tmp_path / "file.json"
    for content in (b"", b"[]", b"7", b"{}", b'{"verification": {}}', b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(MalformedAnswerError):
            load_file(kept, path)


def test_a_block_that_lacks_fields_is_malformed(kept: Context, stored: StoredBlock) -> None:
    for name in ("verdicts", "policy", "model", "import", "verifier_version"):
        block = {key: value for key, value in stored.block.items() if key != name}
        with pytest.raises(MalformedAnswerError):
            replay(kept, replace(stored, block=block))


def test_differences_name_their_place() -> None:
    stored = {"a/b": [1, {"x": True}], "same": 1.0, "gone": None}
    now = {"a/b": [2, {"x": 1}, "more"], "same": 1, "new": 0}
    assert [each.to_json() for each in find_differences(stored, now)] == [
        {"path": "/a~1b/0", "stored": 1, "recomputed": 2},
        {"path": "/a~1b/1/x", "stored": True, "recomputed": 1},
        {"path": "/a~1b/2", "stored": None, "recomputed": "more"},
        {"path": "/gone", "stored": None, "recomputed": None},
        {"path": "/new", "stored": None, "recomputed": 0},
    ]
