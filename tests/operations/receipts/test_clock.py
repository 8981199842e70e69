"""A clock that stands before the keys' window: the receipt says so before an auditor refuses it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from spanproof.operations.verification.verify import CLOCK_OUTSIDE_KEY, verify_payload
from tests.operations.receipts.conftest import make_payload, read_predicate

if TYPE_CHECKING:
    import pytest

    from spanproof.operations.context import Context
    from spanproof.receipt.keys.key_list import KeyList


def test_a_clock_before_the_keys_window_is_told_and_stands_in_the_receipt(
    kept: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    made = verify_payload(kept, make_payload())
    assert CLOCK_OUTSIDE_KEY not in made.block.codes
    start = datetime.now(UTC) + timedelta(hours=1)

    def move(listed: KeyList) -> KeyList:
        # As the clock sees it that was set back by an hour after the keys were made.
        for each in listed.keys:
            assert each.valid_for is not None
            listed = listed.with_key(replace(each, valid_for=replace(each.valid_for, start=start)))
        return listed

    kept.issuer.keys.change(move)
    capsys.readouterr()
    made = verify_payload(kept, make_payload())
    assert CLOCK_OUTSIDE_KEY in made.block.codes
    assert CLOCK_OUTSIDE_KEY in read_predicate(made.receipt).summary.codes
    assert "clock_outside_key_window" in "".join(capsys.readouterr())
