"""The columns of bulk verification, in and out, and the checks of a row.

In: pair_id, doc_hash, char_start, char_end, span_text, claim; optional extraction_id, unit, policy.
Out: pair_id and the verdict; the words themselves stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedBulkError
from spanproof.core.shown import shorten
from spanproof.core.span import OFFSET_UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

REQUIRED = ("pair_id", "doc_hash", "char_start", "char_end", "span_text", "claim")
OPTIONAL = ("extraction_id", "unit", "policy")
#: A quote or a claim of more bytes (UTF-8) than this says nothing that can be verified.
MAX_TEXT_BYTES = 1024**2
_NUMBERS = frozenset({"char_start", "char_end"})
_DIGEST = "^sha256:[0-9a-f]{64}$"
#: Beyond every text, and far from where sums overflow.
_MOST_OFFSET = 2**53 - 1


def make_output_schema(pair_id: Any) -> Any:  # noqa: ANN401 - types of an untyped library
    """The columns of the output; ``pair_id`` keeps its type."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("pair_id", pair_id, nullable=False),
            pa.field("verdict_key", pa.string(), nullable=False),
            pa.field("extraction_id", pa.string()),
            pa.field("identity_status", pa.string(), nullable=False),
            pa.field("existence_status", pa.string(), nullable=False),
            pa.field("char_start", pa.int64()),
            pa.field("char_end", pa.int64()),
            pa.field("support_status", pa.string(), nullable=False),
            pa.field("support_reason", pa.string()),
            pa.field("p_entailment", pa.float64()),
            pa.field("p_neutral", pa.float64()),
            pa.field("p_contradiction", pa.float64()),
            # In the order of the model's labels; empty where it did not run.
            pa.field("logits", pa.list_(pa.float64()), nullable=False),
            pa.field("outcome", pa.string(), nullable=False),
            pa.field("codes", pa.list_(pa.string()), nullable=False),
            pa.field("verifier_version", pa.string(), nullable=False),
        ]
    )


def check_schema(schema: Any, where: str) -> Any:  # noqa: ANN401 - types of an untyped library
    """The schema to which rows are cast; raise MalformedBulkError where columns do not suit.

    ``where`` names the rows in messages. Further columns are allowed and not read.
    """
    import pyarrow as pa

    missing = [name for name in REQUIRED if name not in schema.names]
    if missing:
        msg = f"Expected the columns {', '.join(REQUIRED)} in {where}, got no {missing[0]!r}."
        raise MalformedBulkError(msg, hint="Add the column, or rename yours.")
    fields = []
    for name in (*REQUIRED, *OPTIONAL):
        found = schema.get_all_field_indices(name)
        if len(found) > 1:
            msg = f"Expected one column {name!r} in {where}, got {len(found)}."
            raise MalformedBulkError(msg, hint="Give each column a name of its own.")
        if found:
            fields.append(pa.field(name, _find_type(name, schema.field(found[0]).type, where)))
    return pa.schema(fields)


def _find_type(name: str, given: Any, where: str) -> Any:  # noqa: ANN401 - the same
    import pyarrow as pa

    types = pa.types
    value = given.value_type if types.is_dictionary(given) else given
    is_text = types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)
    if name in _NUMBERS and types.is_integer(value):
        return pa.int64()
    if name == "pair_id" and types.is_integer(value):
        return pa.int64()
    if name not in _NUMBERS and is_text:
        return pa.string()
    # A column without a single value has no type of its own.
    if name in OPTIONAL and types.is_null(value):
        return pa.string()
    expected = "whole numbers" if name in _NUMBERS else "strings"
    expected = "whole numbers or strings" if name == "pair_id" else expected
    msg = f"Expected {expected} in column {name!r} of {where}, got {given}."
    raise MalformedBulkError(msg, hint="Write the column with that type.")


def check_rows(batch: pa.RecordBatch, where: str, *, first: int = 0) -> pa.RecordBatch:
    """The rows with the types of ``check_schema``, every value checked.

    Raises MalformedBulkError with the number of the first row that is not well formed, counted from
    1 after the ``first`` rows before this batch.
    """
    import pyarrow as pa

    schema = check_schema(batch.schema, where)
    names = list(schema.names)
    try:
        batch.select(names).validate(full=True)
        cast = [
            batch.column(name).cast(field.type) for name, field in zip(names, schema, strict=True)
        ]
    except (pa.ArrowException, UnicodeDecodeError) as error:
        msg = f"Expected UTF-8 text and whole numbers in {where}, got others ({_first(error)})."
        raise MalformedBulkError(msg, hint="Write the columns again, text in UTF-8.") from error
    checked = pa.RecordBatch.from_arrays(cast, schema=schema)
    for name, is_wrong, expected in _find_faults(checked):
        at = is_wrong.index(value=True).as_py()
        if at >= 0:
            got = _show(checked.column(name)[at].as_py())
            msg = f"Expected {expected} in column {name!r}, row {first + at + 1} of {where}"
            raise MalformedBulkError(f"{msg}, got {got}.", hint="Fix the row, or leave it out.")
    return checked


def _find_faults(batch: pa.RecordBatch) -> list[tuple[str, Any, str]]:
    """Column, its wrong rows (booleans), and the expected value."""
    import pyarrow.compute as pc

    start, end = batch.column("char_start"), batch.column("char_end")
    faults = [
        (name, pc.is_null(batch.column(name)), "a value")
        for name in ("pair_id", "doc_hash", "span_text", "claim")
    ]
    is_half = pc.xor(pc.is_null(start), pc.is_null(end))
    is_outside = pc.or_(pc.less(start, 0), pc.greater(end, _MOST_OFFSET))
    is_reversed = pc.or_(pc.greater(start, end), is_outside)
    faults += [
        ("char_start", is_half, "both offsets or neither"),
        ("char_start", pc.fill_null(is_reversed, fill_value=False), "0 <= char_start <= char_end"),
        ("doc_hash", _is_none(batch, "doc_hash"), "'sha256:' and 64 lower-case hex digits"),
    ]
    for name in ("span_text", "claim"):
        column = batch.column(name)
        is_long = pc.greater(pc.binary_length(column), MAX_TEXT_BYTES)
        faults.append((name, is_long, f"at most {MAX_TEXT_BYTES} bytes"))
    is_blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(batch.column("claim"))), 0)
    faults.append(("claim", is_blank, "a claim with a word"))
    if "extraction_id" in batch.schema.names:
        is_none = _is_none(batch, "extraction_id")
        faults.append(("extraction_id", is_none, "'sha256:' and 64 lower-case hex digits"))
    if "unit" in batch.schema.names:
        faults.append(("unit", _is_other(batch, "unit", OFFSET_UNITS), _list(OFFSET_UNITS)))
    if "policy" in batch.schema.names:
        from spanproof.verifier.policies import NAMES

        faults.append(("policy", _is_other(batch, "policy", NAMES), _list(NAMES)))
    return faults


def _is_none(batch: pa.RecordBatch, name: str) -> Any:  # noqa: ANN401 - the same
    import pyarrow.compute as pc

    matches = pc.match_substring_regex(batch.column(name), _DIGEST)
    # In RE2 a $ stands at the end of the text alone, so a newline after it does not match.
    return pc.fill_null(pc.invert(matches), fill_value=False)


def _is_other(batch: pa.RecordBatch, name: str, known: Sequence[str]) -> Any:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.compute as pc

    column = batch.column(name)
    is_known = pc.is_in(column, value_set=pa.array(known, pa.string()))
    return pc.and_(pc.is_valid(column), pc.invert(is_known))


def _list(words: Sequence[str]) -> str:
    return f"one of {', '.join(words)}"


def _first(error: Exception) -> str:
    return str(error).splitlines()[0][:200]


def _show(value: object) -> str:
    return repr(shorten(value) if isinstance(value, str) else value)
