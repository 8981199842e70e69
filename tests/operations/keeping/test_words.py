"""A store that keeps no words: what stays can be read and checked, and no word of an answer is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.errors import MalformedAnswerError, WordsNotKeptError
from spanproof.core.verdicts.hash_only import NOT_KEPT
from spanproof.operations.export.pack import export_pack
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.words import DEFAULT, find_words, read_words, set_words
from spanproof.operations.receipts.issuing import CONFIGURATION
from spanproof.operations.replay.rehearsal import rehearse
from spanproof.operations.replay.verification import load_stored
from spanproof.operations.verification.stored import show_feedback, show_verification
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.content import AuditorAnswer
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import CheckOutcome, Question
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange
from spanproof.receipt.statement.predicate import Actor
from spanproof.store.tables import Row
from tests.operations.audited import codes, execute, load_trust, statuses, take_document
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context

NOW = datetime.now(UTC)
#: Stands in every field of an answer that holds somebody's words.
WORD = "xylophone"


def write_answer(doc_hash: Digest, **changes: Any) -> bytes:
    """An answer with the secret in all of its texts; its quotes are altered and cited wrongly."""
    quote = SENTENCE.replace("four", WORD)
    citations = [
        {"anchor": 1, "doc_hash": str(doc_hash), "span": {"text": quote}, "doc_title": WORD},
        {"anchor": 2, "doc_id": f"{WORD} file", "span": {"text": f"the {WORD} is here"}},
        {"anchor": 3, "doc_hash": str(doc_hash), "span": {"text": SENTENCE}},
    ]
    answer = {
        "answer": f"Defective goods are replaced within {WORD} days [1]. The {WORD} [2]. "
        f'He said "the {WORD} of 7 days" (Smith 2020) [3]. More {WORD}. Never {WORD} [9].',
        "question": f"What of the {WORD}?",
        "citations": citations,
        "retrieved": [{"chunk_id": "c1", "doc_id": "notes", "text": f"A {WORD} is 7 days old."}],
        "labels": {"matter": "4711"},
        f"{WORD}_field": WORD,
    }
    return json.dumps(answer | changes).encode()


def dump_rows(context: Context) -> str:
    """Every row of every table as text, and every file of the home but the blobs."""
    with context.store.database.read_connection() as connection:
        rows = [
            [value.decode("latin-1") if isinstance(value, bytes) else value for value in row]
            for table in Row.metadata.sorted_tables
            for row in connection.execute(table.select()).all()
        ]
    files = [
        path.read_bytes().decode("latin-1")
        for path in context.settings.home.rglob("*")
        if path.is_file() and "blobs" not in path.parts
    ]
    return repr(rows) + "".join(files)


def test_no_word_of_an_answer_is_kept_and_its_original_can_be_checked(
    kept_context: Context, tmp_path: Path
) -> None:
    context = kept_context
    doc_hash = take_document(context)
    before = verify_payload(context, write_answer(doc_hash, question="before?"))
    assert WORD in dump_rows(context)
    context.store.database.close()
    set_words(context, "hash-only", now=NOW)
    raw = write_answer(doc_hash, question="after?").replace(WORD.encode(), b"zymurgy")
    made = verify_payload(context, raw)
    # Who sent it gets all of it back, once.
    assert b"zymurgy" in json.dumps(made.response).encode()
    assert "zymurgy" not in dump_rows(context)
    assert list(map(len, map(context.store.facts.find_words, (WORD, "zymurgy", "kept")))) == [
        1,
        0,
        0,
    ]

    shown = show_verification(context, made.verification_id)
    assert shown["answer"] == NOT_KEPT
    assert [each["span"]["text"] for each in shown["citations"]] == [NOT_KEPT] * 3
    assert (shown["labels"], "question" in shown) == ({"matter": "4711"}, False)
    block, whole = shown["verification"], made.response["verification"]
    assert block["kept"]["mode"] == "hash-only"
    assert block["result"] == whole["result"]
    for kept, first in zip(block["verdicts"], whole["verdicts"], strict=True):
        assert kept["claim"]["text"] == NOT_KEPT
        assert kept["notes"] == NOT_KEPT
        for axis in ("identity", "locator"):
            assert kept[axis]["status"] == first[axis]["status"]
        for name in ("outcome", "codes", "anchor", "citation"):
            assert kept[name] == first[name]
        for name in ("status", "char_start", "char_end"):
            assert kept["existence"][name] == first["existence"][name]
    assert shown["receipt"] == made.receipt
    (row,) = context.store.answers.list(limit=1).items
    assert row.excerpt == NOT_KEPT

    for ask in (load_stored, show_feedback):
        with pytest.raises(WordsNotKeptError, match=r"not kept \(hash-only\)"):
            ask(context, made.verification_id)
    assert rehearse(context, policy=None).left_out == {"WORDS_NOT_KEPT": 1}

    # A holder of the original checks it against the receipt.
    trust = load_trust(context)
    bundle = context.store.receipts.load(made.verification_id).bundle
    prose = json.loads(raw)["answer"].encode()
    for held, outcome in ((raw, "OK"), (prose, "OK"), (prose + b"!", "FAILED")):
        report = check_receipt(
            bundle, trust, AuditInputs(answer=AuditorAnswer.of(held)), now=datetime.now(UTC)
        )
        (line,) = (each for each in report.lines if each.question is Question.ANSWER)
        assert line.status.value == outcome
        assert (report.outcome is CheckOutcome.OK) is (outcome == "OK")

    checked = check_store(context, trust, FsckOptions(with_signatures=True))
    assert codes(checked) == []
    words = {each.question: each.words for each in checked.lines}["STORE"]
    assert "the words of 1 verification are not kept (hash-only)" in words
    ids = [before.verification_id, made.verification_id]
    pack = tmp_path / "pack"
    export_pack(context, ids, pack)
    assert (pack / "answers" / ids[0] / "payload").exists()
    assert not (pack / "answers" / ids[1] / "payload").exists()
    rows = [
        each
        for each in (pack / "verdicts.csv").read_text(encoding="utf-8").splitlines()
        if each.startswith(ids[1])
    ]
    assert rows
    assert all(NOT_KEPT in each for each in rows)
    assert "were not kept (hash-only)" in (pack / "index.html").read_text(encoding="utf-8")
    assert all(b"zymurgy" not in path.read_bytes() for path in pack.rglob("*") if path.is_file())


def test_words_that_a_receipt_says_were_kept_cannot_be_taken_away_as_hash_only(
    context: Context,
) -> None:
    doc_hash = take_document(context)
    whole = verify_payload(context, write_answer(doc_hash)).verification_id
    set_words(context, "hash-only", now=NOW)
    bare = verify_payload(context, write_answer(doc_hash)).verification_id
    execute(
        context,
        "UPDATE verification_payload SET (raw, block, block_sha256) = "
        "(SELECT raw, block, block_sha256 FROM verification_payload WHERE verification_id = :bare)"
        " WHERE verification_id = :whole",
        bare=bare,
        whole=whole,
    )
    report = check_store(context, None, with_log=False)
    assert set(codes(report)) == {"RECEIPT_MISMATCH"}
    assert statuses(report)["STORE"] == "FAILED"


def test_each_change_of_the_mode_is_a_leaf_with_its_actor(context: Context) -> None:
    assert find_words(context).to_json() == {
        "mode": DEFAULT,
        "since": None,
        "actor": {"key_id": None, "oidc_sub_hash": None},
    }
    actor = Actor(key_id="sp_k3v7m2qhx4za")
    for mode in ("hash-only", "hash-only", "kept"):
        assert set_words(context, mode, now=NOW, actor=actor).mode == mode
    events = [
        parse_event(stored.statement.payload)
        for stored in context.log.find_statements(CONFIGURATION)
    ]
    changes = [
        (each.actor, change.name)
        for each in events
        if isinstance(each, ConfigChange)
        for change in each.changes
    ]
    assert changes == [(actor, "words")] * 2
    with pytest.raises(MalformedAnswerError, match="one of kept, encrypted, hash-only"):
        set_words(context, "none", now=NOW)
    for wrong in ({}, {"mode": 1}, {"mode": "kept", "more": 1}, None):
        with pytest.raises(MalformedAnswerError, match="at /mode"):
            read_words(wrong)
    # A row of a newer version keeps as little as possible.
    with context.store.database.connection() as connection:
        connection.execute(
            text(
                "INSERT INTO configuration_value (name, position, value, since) "
                "SELECT name, 9, 'sealed', since FROM configuration_value WHERE position = 1"
            )
        )
    assert find_words(context).mode == "hash-only"
