"""A hold wins: over erasing, by whatever name, until it is released."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import DocumentErasedError, InputError, NotFoundError
from spanproof.operations.documents.sources import SourceOrder, change_source
from spanproof.operations.erasing import erase
from spanproof.operations.errors import LegalHoldError
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.holds import find_hold, list_holds, place_hold, release_hold
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.statement.predicate import Actor
from tests.operations.audited import codes, fill, take_document
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context


def verify_labelled(context: Context, doc_hash: Digest, **labels: str) -> str:
    citation = {"anchor": 1, "doc_hash": str(doc_hash), "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE[:-1]} [1].", "citations": [citation], "labels": labels}
    return verify_payload(context, json.dumps(answer).encode()).verification_id


def test_a_held_answer_and_its_document_stay_until_the_hold_ends(kept_context: Context) -> None:
    context = kept_context
    held, other = fill(context, 2)
    actor = Actor("sp_a", None)
    hold = place_hold(context, "answer", held, reason=" matter 4711 ", actor=actor)
    assert (hold.subject, hold.reason, hold.actor.key_id) == (held, "matter 4711", "sp_a")
    size = context.log.head().size
    for name in (held, "agreement"):
        with pytest.raises(LegalHoldError, match=hold.hold_id):
            erase(context, name, reason="asked for")
    with pytest.raises(LegalHoldError):
        erase(context, "agreement", reason="asked for", with_verifications=True)
    # Nothing was logged, and nothing of the other went either.
    assert context.log.head().size == size
    assert context.store.answers.load(held).raw
    assert erase(context, other, reason="asked for")[0].removed == 2
    assert list_holds(context) == (hold,)
    ended = release_hold(context, hold.hold_id, reason="closed")
    assert ended.released_at is not None
    assert (ended.reason, ended.placed_at) == (hold.reason, hold.placed_at)
    assert release_hold(context, hold.hold_id, reason="again") == ended
    assert list_holds(context) == ()
    assert list_holds(context, only_open=False) == (ended,)
    erase(context, held, reason="asked for")
    erase(context, "agreement", reason="asked for")
    assert codes(check_store(context, None)) == []


def test_a_hold_placed_while_something_is_erased_wins(
    kept_context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    (held,) = fill(kept_context, 1)
    kind = type(kept_context.store.erasures)
    list_content = kind.list_content

    def hold_meanwhile(store: object, *arguments: str) -> object:
        """After the first look for holds, before the lock."""
        monkeypatch.setattr(kind, "list_content", list_content)
        place_hold(kept_context, "answer", held, reason="matter 4711")
        return list_content(store, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "list_content", hold_meanwhile)
    size = kept_context.log.head().size
    with pytest.raises(LegalHoldError):
        erase(kept_context, held, reason="asked for")
    # The hold alone was logged.
    assert kept_context.log.head().size == size + 1
    assert kept_context.store.answers.load(held).raw


def test_a_label_holds_every_answer_that_has_it_and_what_they_cite(context: Context) -> None:
    doc_hash = take_document(context)
    held = verify_labelled(context, doc_hash, matter="4711", team="support")
    free = verify_labelled(context, doc_hash, matter="4712")
    place_hold(context, "label", "matter=4711", reason="matter")
    for name in (held, "agreement"):
        with pytest.raises(LegalHoldError):
            erase(context, name, reason="asked for")
    erase(context, free, reason="asked for")


def test_a_document_is_held_by_its_name_or_its_label(context: Context) -> None:
    doc_hash = take_document(context)
    label = place_hold(context, "label", "confidentiality=secret", reason="all of them")
    order = SourceOrder(action="set", reason="r", given={"confidentiality": "secret"})
    change_source(context, "agreement", order)
    with pytest.raises(LegalHoldError):
        erase(context, "agreement", reason="asked for")
    release_hold(context, label.hold_id, reason="closed")
    named = place_hold(context, "document", "agreement", reason="matter")
    assert named.subject == str(doc_hash)
    with pytest.raises(LegalHoldError):
        erase(context, "agreement", reason="asked for")
    release_hold(context, named.hold_id, reason="closed")
    erase(context, "agreement", reason="asked for")
    with pytest.raises(DocumentErasedError):
        context.store.documents.read_source(doc_hash)


@pytest.mark.parametrize(
    ("kind", "ref"),
    [("label", "matter"), ("label", "=4711"), ("label", "matter="), ("answer", "agreement")],
)
def test_a_hold_on_something_else_is_refused(context: Context, kind: str, ref: str) -> None:
    take_document(context)
    with pytest.raises(InputError):
        place_hold(context, kind, ref, reason="matter")  # type: ignore[arg-type]
    assert list_holds(context, only_open=False) == ()


def test_only_what_is_kept_can_be_held(context: Context) -> None:
    take_document(context)
    with pytest.raises(NotFoundError):
        place_hold(context, "answer", "nothing", reason="matter")
    with pytest.raises(NotFoundError):
        find_hold(context, "nothing")
