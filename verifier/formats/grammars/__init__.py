"""Grammars of citation tokens in prose: the table of them, and one tokenizer for all."""

from spanproof.verifier.formats.grammars.table import (
    GRAMMARS,
    find_grammars,
    make_grammar,
    register_grammar,
)
from spanproof.verifier.formats.grammars.token import SOURCES, Grammar, Reference, Token
from spanproof.verifier.formats.grammars.tokenizer import find_anchors, tokenize

__all__ = [
    "GRAMMARS",
    "SOURCES",
    "Grammar",
    "Reference",
    "Token",
    "find_anchors",
    "find_grammars",
    "make_grammar",
    "register_grammar",
    "tokenize",
]
