"""Encrypted words: unreadable without their key, and for ever once it is destroyed."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import (
    ContentKeyMissingError,
    IntegrityError,
    KeyUnavailableError,
    VerificationErasedError,
)
from spanproof.operations.assembly import open_context
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.content_key import LocalContentKey
from spanproof.operations.keeping.words import set_words
from spanproof.operations.verification.stored import show_verification
from spanproof.operations.verification.verify import verify_payload
from spanproof.store.sealing.content_keys import FILE_NAME
from tests.operations.audited import codes, execute, take_document
from tests.operations.keeping.test_words import WORD, dump_rows, write_answer

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

NOW = datetime.now(UTC)


def test_words_are_read_with_their_key_and_never_again_without(kept_context: Context) -> None:
    context = kept_context
    doc_hash = take_document(context)
    plain = verify_payload(context, write_answer(doc_hash).replace(WORD.encode(), b"plainly"))
    assert context.store.content_keys.list_all() == []
    set_words(context, "encrypted", now=NOW)
    raw = write_answer(doc_hash)
    made = [verify_payload(context, raw).verification_id for _ in range(2)]
    kept = dump_rows(context)
    assert WORD not in kept
    assert "plainly" in kept
    for each in made:
        assert context.store.answers.load(each).raw == raw
        assert show_verification(context, each)["answer"] == json.loads(raw)["answer"]
    assert "plainly" in show_verification(context, plain.verification_id)["answer"]
    assert {row.excerpt for row in context.store.answers.list(limit=2).items} == {"(encrypted)"}
    assert codes(check_store(context, None, FsckOptions(with_signatures=True))) == []

    keys = context.store.content_keys.list_all()
    assert sorted(each.subject for each in keys) == sorted(made)
    # What a thief of the database, or a copy of it, has: the rows, before and after.
    erase(context, made[0], reason="asked for")
    assert [each.subject for each in context.store.content_keys.list_all()] == [made[1]]
    with pytest.raises(VerificationErasedError):
        context.store.answers.load(made[0])
    assert codes(check_store(context, None, with_log=False)) == []

    # A key that goes without a tombstone is damage.
    context.store.content_keys.destroy("verification", [made[1]])
    with pytest.raises(ContentKeyMissingError):
        context.store.answers.load(made[1])
    assert codes(check_store(context, None, with_log=False)) == ["CONTENT_KEY_MISSING"]
    assert context.store.content_keys.add_all(keys[:1] + keys) == 2
    assert context.store.answers.load(made[1]).raw == raw
    # The key of another row opens nothing.
    other = next(each for each in keys if each.subject == made[0])
    context.store.content_keys.destroy("verification", made)
    context.store.content_keys.add_all([other._replace(subject=made[1])])
    with pytest.raises(KeyUnavailableError):
        context.store.answers.load(made[1])


def test_a_copy_of_the_database_tells_nothing_after_erasing(
    context: Context, tmp_path: Path
) -> None:
    """SQLite: the copy is one of the time when the words were still there."""
    doc_hash = take_document(context)
    set_words(context, "encrypted", now=NOW)
    first = verify_payload(context, write_answer(doc_hash)).verification_id
    home, copy = context.settings.home, tmp_path / "copy"
    with context.store.database.erasing():
        pass  # The write-ahead log is in the file now.
    copy.mkdir()
    for name in ("spanproof.db", "keys", "log"):
        source = home / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
    sealed = (copy / "spanproof.db").read_bytes()
    assert WORD.encode() not in sealed
    assert b"spanproof sealed 1" in sealed
    erase(context, first, reason="asked for")
    assert b"spanproof sealed 1" not in (home / "spanproof.db").read_bytes()
    assert first.encode() not in (home / FILE_NAME).read_bytes()
    own = context.settings.model_copy(update={"home": copy})
    with open_context(own) as thief, pytest.raises(ContentKeyMissingError):
        thief.store.answers.load(first)


def test_altered_or_moved_ciphertext_does_not_open(context: Context) -> None:
    doc_hash = take_document(context)
    set_words(context, "encrypted", now=NOW)
    one, two = (verify_payload(context, write_answer(doc_hash)).verification_id for _ in range(2))
    sealed = "SELECT raw FROM verification_payload WHERE verification_id = :two"
    execute(
        context,
        f"UPDATE verification_payload SET raw = ({sealed}) WHERE verification_id = :one",  # noqa: S608 - the test's own
        one=one,
        two=two,
    )
    with pytest.raises(IntegrityError, match="Expected sealed content as it was kept"):
        context.store.answers.load(one)
    assert codes(check_store(context, None, with_log=False)) == ["STORE_INTEGRITY"]


def test_the_key_of_the_home_is_private_and_its_passphrase_is_asked(context: Context) -> None:
    doc_hash = take_document(context)
    set_words(context, "encrypted", now=NOW)
    made = verify_payload(context, write_answer(doc_hash)).verification_id
    home = context.settings.home
    for path in (home / "keys" / "content.pem", home / FILE_NAME):
        assert path.stat().st_mode & 0o077 == 0
    key = LocalContentKey(context.settings)
    wrapped = key.wrap(bytes(32), b"name")
    assert key.unwrap(wrapped, b"name") == bytes(32)
    for wrong in ((wrapped, b"other"), (wrapped[:-1], b"name"), (os.urandom(60), b"name")):
        with pytest.raises(KeyUnavailableError):
            key.unwrap(*wrong)
    (home / "keys" / "content.pem").unlink()
    with pytest.raises(KeyUnavailableError):
        LocalContentKey(context.settings).unwrap(wrapped, b"name")
    assert not (home / "keys" / "content.pem").exists()
    # This process read it before.
    assert context.store.answers.load(made).raw
