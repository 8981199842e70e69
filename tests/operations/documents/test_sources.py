"""What an operator says of a source: logged, read by verifications, kept verdicts only listed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import DocumentNotFoundError, InputError
from spanproof.operations.documents.affected import list_affected
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.documents.source_states import find_states, list_changes
from spanproof.operations.documents.sources import SourceOrder, change_source
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.replay.verification import load_stored, replay
from spanproof.operations.webhooks import endpoints
from spanproof.receipt.statement.predicate import Actor
from tests.contexts import with_settings
from tests.operations.audited import codes, fill, take_document, verify_answer

if TYPE_CHECKING:
    from spanproof.operations.context import Context

NOW = datetime.now(UTC)
WITHDRAW = SourceOrder(action="withdraw", reason="recalled by its publisher")


def told(context: Context, verification_id: str) -> tuple[str, set[str]]:
    block = context.store.answers.load(verification_id).block
    (verdict,) = block["verdicts"]
    return block["result"], {code for code in verdict["codes"] if code.startswith("SOURCE_")}


def test_a_withdrawal_counts_from_now_on_and_kept_verdicts_are_listed(
    kept_context: Context,
) -> None:
    context = kept_context
    doc_hash = take_document(context)
    before = verify_answer(context, doc_hash)
    kept = context.store.answers.load(before).block
    assert told(context, before) == ("pass", set())
    change = change_source(context, "agreement", WITHDRAW, actor=Actor("sp_a", None))
    after = verify_answer(context, doc_hash)
    assert told(context, after) == ("review", {"SOURCE_WITHDRAWN"})
    (row,) = list_affected(context, "agreement").answers
    assert (row.verification.verification_id, row.codes) == (before, ("SOURCE_WITHDRAWN",))
    assert context.store.answers.load(before).block == kept
    # The log has it, with its author and its reason; nothing else does.
    (logged,) = list_changes(context, doc_hash)
    assert logged.event_id == change.event_id
    assert (logged.actor.key_id, logged.reason) == ("sp_a", "recalled by its publisher")
    assert codes(check_store(context, None)) == []
    # Each replays as of its own moment.
    for each in (before, after):
        assert replay(context, load_stored(context, each)).status == "REPLAYED"
    change_source(context, "agreement", SourceOrder(action="reinstate", reason="in error"))
    assert told(context, verify_answer(context, doc_hash)) == ("pass", set())
    assert [row.codes for row in list_affected(context, "agreement").answers] == []


def test_dates_and_labels_are_set_and_removed_one_by_one(context: Context) -> None:
    doc_hash = take_document(context)
    year = {"valid_from": NOW - timedelta(days=700), "valid_until": NOW - timedelta(days=300)}
    change_source(context, "agreement", order(**year, confidentiality="internal"))
    assert told(context, verify_answer(context, doc_hash))[1] == {"SOURCE_NOT_IN_FORCE"}
    change_source(context, "agreement", order(valid_until=None, licence="CC-BY-4.0"))
    state = find_states(context, [doc_hash])[doc_hash]
    assert (state.valid_until, state.licence, state.confidentiality) == (
        None,
        "CC-BY-4.0",
        "internal",
    )
    assert told(context, verify_answer(context, doc_hash)) == ("pass", set())


def order(**given: Any) -> SourceOrder:
    return SourceOrder(action="set", reason="dates of the contract", given=given)


def test_an_amendment_names_another_document_that_is_kept(context: Context) -> None:
    doc_hash = take_document(context)
    text = b"Defective goods are replaced within nine business days."
    ingest_stream(context, [text], filename=None, media_type=None, doc_id="newer", title=None)
    amend = SourceOrder(action="amend", reason="first amendment", by="newer")
    change_source(context, "agreement", amend)
    assert find_states(context, [doc_hash])[doc_hash].amended_by == Digest.of(text)
    assert told(context, verify_answer(context, doc_hash)) == ("review", {"SOURCE_AMENDED"})


@pytest.mark.parametrize(
    "wrong",
    [
        SourceOrder(action="withdraw", reason=" "),
        SourceOrder(action="withdraw", reason="x" * 501),
        SourceOrder(action="reinstate", reason="nothing was said"),
        SourceOrder(action="amend", reason="by nothing"),
        SourceOrder(action="amend", reason="by itself", by="agreement"),
        order(),
        order(licence=" "),
        order(valid_from=NOW, valid_until=NOW),
    ],
)
def test_an_order_that_says_nothing_changes_nothing(context: Context, wrong: SourceOrder) -> None:
    doc_hash = take_document(context)
    with pytest.raises(InputError):
        change_source(context, "agreement", wrong)
    assert list_changes(context, doc_hash) == ()


def test_only_a_kept_document_can_be_changed(context: Context) -> None:
    with pytest.raises(DocumentNotFoundError):
        change_source(context, "agreement", WITHDRAW)


def test_webhooks_are_told_in_ids_and_figures(context: Context) -> None:
    (first, second) = fill(context, 2)
    private = with_settings(context, webhook_private=True)
    endpoints.add_webhook(private, "http://127.0.0.1:9/in", ["source.changed"])
    erase(context, second, reason="asked for")
    change = change_source(private, "agreement", WITHDRAW)
    name = endpoints.name_message("source.changed", change.event_id)
    message = context.store.deliveries.find_message(name)
    assert message is not None
    # Of the erased one, only its verdict's row still says that it cites the document.
    assert '"affected":2' in message.body
    assert first in message.body
    assert "Defective" not in message.body
