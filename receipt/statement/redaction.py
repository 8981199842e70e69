"""A verdict without a word of answer or document: texts as digests, numbers as decimal strings.

Of every text only its SHA-256 (of its UTF-8 bytes) is kept, under the field's name with
``_sha256``; offsets, statuses and codes appear as they are. Who has the block can make the same of
it (``redact_words``, then ``with_decimal_strings``); who has only the receipt learns no word.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

Json = dict[str, Any]
WORD_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,79}", re.ASCII)


def hash_text(words: str) -> str:
    """SHA-256 of the UTF-8 bytes, in hexadecimal."""
    # A lone surrogate has no UTF-8 and reaches no verdict today: were one there, it must not
    # keep a verification from its receipt.
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def redact_words(verdict: Json, *, span_sha256: str | None) -> Json:
    """A verdict of the block without its words; its numbers stay as they are.

    ``span_sha256`` is of the slice at its offsets.
    """
    support, existence, locator = verdict["support"], verdict["existence"], verdict["locator"]
    read, joint, witness = support["read"], support["joint"], locator["witness"]
    # Blocks of older procedures have no such parts.
    left = {name: support[name] for name in ("unsupported_parts",) if name in support}
    return _hash(verdict, "notes") | {
        "claim": _hash(verdict["claim"], "text", "hypothesis"),
        "existence": existence
        | {"difference": _redact_difference(existence["difference"]), "span_sha256": span_sha256},
        "locator": locator
        | {"witness": _hash(witness, "read") | {"reason": _to_name(witness["reason"])}},
        "support": support
        | {
            "reason": _to_name(support["reason"]),
            "terms": [term | {"name": _to_name(term["name"])} for term in support["terms"]],
            "joint": None if joint is None else joint | {"reason": _to_name(joint["reason"])},
            "vetoes": [_redact_veto(veto) for veto in support["vetoes"]],
            "subclaims": [_redact_subclaim(subclaim) for subclaim in support["subclaims"]],
            "read": None if read is None else _hash(read, "premise", "hypothesis"),
            **{name: [_hash(part, "claim") for part in parts] for name, parts in left.items()},
        },
        "quotations": [_hash(quotation, "text") for quotation in verdict["quotations"]],
    }


def _redact_difference(difference: Json | None) -> Json | None:
    if difference is None:
        return None
    edits = [
        _hash(edit, "quote", "source")
        | {"touches": [_hash(token, "text") for token in edit["touches"]]}
        for edit in difference["edits"]
    ]
    return _hash(difference, "source") | {"edits": edits}


def _redact_veto(veto: Json) -> Json:
    return _hash(veto, "claim", "source")


def _redact_subclaim(subclaim: Json) -> Json:
    return _hash(subclaim, "text", "hypothesis") | {
        "reason": _to_name(subclaim["reason"]),
        "vetoes": [_redact_veto(veto) for veto in subclaim["vetoes"]],
    }


def _to_name(reason: str | None) -> str | None:
    """A reason as it is if it is our own word; what another package wrote, digested."""
    if reason is None or WORD_PATTERN.fullmatch(reason):
        return reason
    return f"sha256-{hash_text(reason)}"


def _hash(fields: Json, *names: str) -> Json:
    """The same object with the digests of these texts in their place; null stays null."""
    kept = {name: value for name, value in fields.items() if name not in names}
    for name in names:
        words = fields[name]
        kept[f"{name}_sha256"] = None if words is None else hash_text(words)
    return kept
