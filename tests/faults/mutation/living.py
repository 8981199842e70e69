"""The functions that a module has made, and a mutant's code for them."""

from __future__ import annotations

import gc
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.mutation.operators import Mutant


def list_functions(paths: set[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """The functions that these files have made, by file and qualified name, wrapped or not."""
    gc.collect()
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in paths:
            code = each.__code__
            found.setdefault((code.co_filename, code.co_qualname), []).append(each)
    return found


def replace_code(mutant: Mutant, living: list[FunctionType]) -> bool:
    """Give functions the mutant's code; False where that cannot be."""
    codes = [code for code in _list_codes(mutant.code) if code.co_qualname == mutant.function]
    if len(codes) != 1 or not living:
        return False
    try:
        for each in living:
            each.__code__ = codes[0]
    except ValueError:
        return False  # Another number of free variables.
    return True


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _list_codes(constant)
