"""Receipts that must not be believed, each made from a good one; ``list_attacks`` has them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.receipt.attacks import auditor, form, log, signature, statement

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Attack


def list_attacks() -> list[Attack]:
    """Every attack, in the order of the modules."""
    return [
        each for module in (form, signature, log, statement, auditor) for each in module.ATTACKS
    ]
