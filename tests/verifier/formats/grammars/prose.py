"""Prose full of tokens, whole, broken and nested, for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = [
    "four days",
    "x",
    "a",
    "Zürich 🙂",
    "1",
    "é",
    "(see",
    ").",
    ".",
    ", ",
    "S",
    "REF",
    "SOURCES_",
]
_BLANKS = [" ", " ", "  ", "\t", "\n", "\n\n", "\r\n", "- ", "| ", "1. ", "    "]
_TOKENS = [
    "[1]", "[1, 2]", "[ 3 ]", "[citation:doc:c1]", "[citation:a:b, citation:c:d:e]", "[[REF:s1]]",
    "[[tool:temp.max]]", "【6:0†source】", "【4†】", "[1](https://a.example/x_(y))", "[[2]](http://b)",
    "\ue200cite\ue202turn0file0\ue202L8-L13\ue201",
]  # fmt: skip
_BROKEN = [
    "[", "]", "[[", "]]", "[1", "1]", "citation:", "[citation:a", ":b]", "[[REF:", "(", ")", "](",
    "【", "†", "】", "`", "``", "```", "\ue200", "SOURCES_STAR", "T", "START", "END",
]  # fmt: skip
_BLOCKS = [
    '\nSOURCES_START\n[{"id": "s1"}]\nSOURCES_END\n', "\nSOURCES_START{}SOURCES_END",
    "SOURCES_END\n", "\nSOURCES_START\n",
]  # fmt: skip

INLINE = st.lists(
    st.sampled_from([*_WORDS, *_BLANKS, *_TOKENS, *_TOKENS, *_BROKEN]), max_size=24
).map("".join)
PROSE = st.lists(
    st.sampled_from([*_WORDS, *_BLANKS, *_TOKENS, *_BROKEN, *_BLOCKS]), max_size=24
).map("".join)
CUTS = st.lists(st.integers(min_value=0, max_value=400), max_size=12)
