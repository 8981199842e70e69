"""What shows answers names an argument of another type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spanproof

if TYPE_CHECKING:
    from collections.abc import Callable

ANY: Any = 5


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: spanproof.hide_footers(ANY), "text"),
        (lambda: spanproof.strip_history(ANY, ["native"]), "messages"),
        (lambda: spanproof.render_html(ANY, {}, grammars=["native"]), "answer"),
        (lambda: spanproof.render_html("", ANY, grammars=["native"]), "sources"),
        (lambda: spanproof.verification_events(ANY), "block"),
        (lambda: spanproof.AnswerStream(ANY), "grammars"),
        (lambda: spanproof.AnswerStream([]).push(ANY), "text"),
    ],
)
def test_an_argument_of_another_type_is_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(TypeError, match=f"^{name}: expected a"):
        call()
