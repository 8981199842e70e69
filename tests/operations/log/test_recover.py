from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ConflictError, LogFrozenError, LogRolledBackError, SettingsError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.operations.assembly import open_context
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.log.opening import to_log_mark
from spanproof.operations.log.recover import DEFAULT_REASON, recover
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Shard
from spanproof.store.log import shards
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import LogReader, find_current_origin, list_logs

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings

ORIGIN = "log.example.com"


@pytest.fixture
def named(settings: Settings) -> Settings:
    """The settings of a home whose log has a name and two leaves."""
    named = settings.model_copy(update={"log_origin": ORIGIN})
    with open_context(named) as context:
        context.log.include_all([b"a", b"b"])
    return named


def recover_once(settings: Settings, *, origin: str | None = None) -> Checkpoint:
    with open_context(settings) as context:
        return recover(settings, context.store, origin=origin, reason=DEFAULT_REASON).opened


def test_a_lost_mark_is_recovered_from_and_the_first_leaf_says_it(named: Settings) -> None:
    to_log_mark(named).unlink()
    with open_context(named) as context, pytest.raises(LogRolledBackError):
        _ = context.log
    with open_context(named) as context:
        done = recover(named, context.store, origin=None, reason="disk lost")
        assert (done.closed.origin, done.closed.size, done.mark) == (ORIGIN, 2, None)
        assert (done.opened.origin, done.opened.size) == ("log-2.example.com", 1)
        reader = LogReader.find(context.store.database, done.opened.origin)
        stored = reader.find_statement(0)
        assert stored is not None
        event = parse_event(stored.statement.payload)
        assert isinstance(event, Shard)
        assert (event.old_origin, event.old_size, event.old_root) == (ORIGIN, 2, done.closed.root)
        assert event.reason == "disk lost; the high-water mark is gone" == done.reason
        keys = [each.key for each in open_keys(named).keys.log_keys(done.opened.origin)]
        assert check_note(parse_note(reader.latest()[1]), keys)
        assert done.to_json()["mark"] is None
        assert done.to_json()["opened"]["size"] == 1
    with open_context(named) as context, pytest.raises(LogFrozenError, match="log-2"):
        _ = context.log
    with open_context(named.model_copy(update={"log_origin": None})) as context:
        assert context.log.origin == "log-2.example.com"
        assert context.log.include(b"c").leaf.index == 1


def test_what_the_mark_knows_of_more_leaves_stands_in_the_reason(named: Settings) -> None:
    lost = Checkpoint(origin=ORIGIN, size=9, root=b"\x09" * 32)
    HighWaterMark(to_log_mark(named)).raise_to(lost, lambda _known: None)
    with open_context(named) as context:
        done = recover(named, context.store, origin="new.example.com", reason="restored")
    assert done.opened.origin == "new.example.com"
    assert done.mark == lost
    assert done.reason == (
        f"restored; the mark says that {ORIGIN} had signed 9 leaves with root {'09' * 32}"
    )
    assert done.to_json()["mark"] == {"origin": ORIGIN, "size": 9, "root": "09" * 32}


def test_a_log_that_is_in_order_is_closed_too_where_somebody_asks(named: Settings) -> None:
    with open_context(named) as context:
        context.log.append(b"unsigned")
        done = recover(named, context.store, origin=None, reason="moved")
    assert (done.closed.size, done.reason) == (3, "moved")
    again = recover_once(named)
    assert again.origin == "log-3.example.com"


def test_a_recovery_that_was_cut_off_is_finished(
    named: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(point: Failpoint) -> None:
        if point is Failpoint.SHARD_COMMITTED:
            raise RuntimeError

    with monkeypatch.context() as patch:
        defaults = shards.open_shard.__kwdefaults__
        assert defaults is not None
        patch.setitem(defaults, "reach", die)
        with pytest.raises(RuntimeError):
            recover_once(named)
    with pytest.raises(SettingsError, match=r"that exists, 'log-2\.example\.com', got 'x'"):
        recover_once(named, origin="x")
    assert recover_once(named).origin == "log-2.example.com"
    with open_context(named) as context:
        database = context.store.database
        assert [state.origin for state in list_logs(database)] == [ORIGIN, "log-2.example.com"]
        assert find_current_origin(database) == "log-2.example.com"


def test_an_origin_that_was_used_is_refused_and_nothing_is_closed(named: Settings) -> None:
    with pytest.raises(ConflictError, match="that no log has had"):
        recover_once(named, origin=ORIGIN)
    with pytest.raises(SettingsError, match="Expected an origin"):
        recover_once(named, origin="two words")
    with open_context(named) as context:
        assert context.log.include(b"c").leaf.index == 2
