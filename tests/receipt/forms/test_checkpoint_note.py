"""Checkpoints: origin, size and root, each in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedNoteError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, MAX_SIZE
from spanproof.receipt.forms.checkpoint_note import (
    format_checkpoint,
    is_empty_tree,
    parse_checkpoint,
)
from spanproof.receipt.forms.signed_note import is_key_name

ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


@given(
    origin=st.text(min_size=1, max_size=20).filter(is_key_name),
    size=st.integers(0, MAX_SIZE),
    root=st.binary(min_size=32, max_size=32),
)
def test_checkpoints_go_there_and_back(origin: str, size: int, root: bytes) -> None:
    checkpoint = Checkpoint(origin=origin, size=size, root=root)
    assert parse_checkpoint(format_checkpoint(checkpoint)) == checkpoint


def test_the_example_of_the_specification_is_read() -> None:
    text = f"example.com/behind-the-sofa\n20852163\n{ROOT}\n"
    checkpoint = parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert format_checkpoint(checkpoint) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "o\n",
        f"o\n1\n{ROOT}",
        f"\n1\n{ROOT}\n",
        f"o\n\n{ROOT}\n",
        "o\n1\n\n",
        f"o\n01\n{ROOT}\n",
        f"o\n00\n{ROOT}\n",
        f"o\n-1\n{ROOT}\n",
        f"o\n+1\n{ROOT}\n",
        f"o\n1 \n{ROOT}\n",
        f"o\n1_0\n{ROOT}\n",
        f"o\n٣\n{ROOT}\n",
        f"o\n1e3\n{ROOT}\n",
        f"o\n{MAX_SIZE + 1}\n{ROOT}\n",
        f"o\n{'9' * 40}\n{ROOT}\n",
        f"o\n1\n{ROOT[:-4]}\n",
        f"o\n1\n{ROOT[:-1]}\n",
        f"o\n1\n{ROOT[:-2]}J=\n",
        f"o\n1\n {ROOT}\n",
        f"o\n1\n{ROOT}AAAA\n",
        f"o\n1\n{'é' * 44}\n",
        f"o\n1\n{ROOT}\n\n",
        f"o\n1\n{ROOT}\nextension\n",
    ],
)
def test_nothing_else_is_a_checkpoint(text: str) -> None:
    with pytest.raises(MalformedNoteError, match="Expected"):
        parse_checkpoint(text)


def test_extension_lines_are_taken_only_where_it_is_said() -> None:
    text = f"o\n1\n{ROOT}\none\ntwo\n"
    assert parse_checkpoint(text, takes_extensions=True).size == 1
    assert parse_checkpoint(f"o\n1\n{ROOT}\none\n", takes_extensions=True).size == 1
    for torn in (text[:-1], f"o\n1\n{ROOT}\n\ntwo\n", f"o\n1\n{ROOT}\none\n\n", "o\n1\n"):
        with pytest.raises(MalformedNoteError):
            parse_checkpoint(torn, takes_extensions=True)


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "a\nb", "a\tb"])
def test_an_origin_that_no_key_has_is_not_written(origin: str) -> None:
    with pytest.raises(ValueError, match="Expected an origin"):
        format_checkpoint(Checkpoint(origin=origin, size=0, root=EMPTY_ROOT))


@pytest.mark.parametrize(("size", "root"), [(-1, bytes(32)), (MAX_SIZE + 1, bytes(32)), (1, b"")])
def test_a_head_that_no_tree_has_cannot_be_made(size: int, root: bytes) -> None:
    with pytest.raises(ValueError, match="Expected a size and a root"):
        Checkpoint(origin="o", size=size, root=root)


def test_the_empty_tree_has_one_root() -> None:
    assert is_empty_tree(Checkpoint(origin="o", size=0, root=EMPTY_ROOT))
    assert not is_empty_tree(Checkpoint(origin="o", size=0, root=bytes(32)))
    assert not is_empty_tree(Checkpoint(origin="o", size=1, root=EMPTY_ROOT))


@given(text=st.one_of(st.text(), st.text("o\n1AQ=", max_size=60)), extended=st.booleans())
def test_whatever_is_given_is_a_checkpoint_or_malformed(text: str, *, extended: bool) -> None:
    with pytest.raises(MalformedNoteError):
        parse_checkpoint(text, takes_extensions=extended)
