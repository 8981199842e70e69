"""The triggers that refuse every change of a row; a table's keys and columns say how they look.

An answer's words may be emptied where an erasure of the answer is recorded, the fingerprints of a
text where one of its document is, and the lines of a day of accesses where their removal is; those
of a submitted answer also while the store keeps no words and nothing waits for them. No other
statement changes a row. A log's leaves and heads only grow at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import UniqueConstraint, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Table

#: Of each table whose rows hold words, or traces of words: the columns that may become empty.
_EMPTIED: dict[str, dict[str, str]] = {
    "verification_payload": {"raw": "x''", "block": "x''"},
    "verification": {"excerpt": "''"},
    "reanchor": {"detail_json": "'{}'"},
    "answer_fact": {"labels_json": "'[]'"},
    "submitted_payload": {"raw": "x''"},
    "access_line": {"line": "''"},
    "text_fingerprint": {"fingerprints": "x''"},
}
#: Which erasures open a row. Some tables have one of their own.
_ERASED = (
    "EXISTS (SELECT 1 FROM erasure WHERE kind = 'verification' AND subject = OLD.verification_id)"
)
_DAY_ERASED = "EXISTS (SELECT 1 FROM access_removal WHERE day = OLD.day)"
_ANSWER_ERASED = (
    "(EXISTS (SELECT 1 FROM erasure WHERE (kind = 'answer' AND subject = OLD.answer_id)"
    " OR (kind = 'verification' AND subject ="
    " (SELECT verification_id FROM sampled_verification WHERE answer_id = OLD.answer_id)))"
    # The same words as ``SubmittedAnswers.empty_used`` asks by.
    # Without such a row the answer is no, not NULL: a trigger's condition that is NULL refuses
    # nothing.
    " OR coalesce((SELECT value FROM configuration_value WHERE name = 'words'"
    " ORDER BY position DESC LIMIT 1), '') = 'hash-only'"
    " AND (EXISTS (SELECT 1 FROM sampled_verification WHERE answer_id = OLD.answer_id)"
    " OR EXISTS (SELECT 1 FROM answer_draw WHERE answer_id = OLD.answer_id AND NOT is_sampled)))"
)
_DOCUMENT_ERASED = (
    "EXISTS (SELECT 1 FROM erasure WHERE kind = 'document' AND subject ="
    " (SELECT doc_hash FROM indexed_text JOIN extraction"
    " ON extraction.extraction_id = indexed_text.extraction_id"
    " WHERE indexed_text.number = OLD.number))"
)
_OWN_ERASED = {
    "submitted_payload": _ANSWER_ERASED,
    "access_line": _DAY_ERASED,
    "text_fingerprint": _DOCUMENT_ERASED,
}
#: By table and name, why a row cannot follow the last one. The row before it must exist, and none
#: of its own number: by induction the numbers are 0, 1, 2 … A head may skip sizes, never go back.
_GAPS = {
    ("log", "gap"): "NEW.log_id < 0 OR NEW.log_id > 0"
    " AND NOT EXISTS (SELECT 1 FROM log WHERE log_id = NEW.log_id - 1)",
    ("log_leaf", "gap"): "NEW.idx < 0 OR NEW.idx > 0 AND NOT EXISTS"
    " (SELECT 1 FROM log_leaf WHERE log_id = NEW.log_id AND idx = NEW.idx - 1)",
    ("log_leaf", "late"): "EXISTS (SELECT 1 FROM log_freeze WHERE log_id = NEW.log_id)",
    ("log_tree", "gap"): (
        "EXISTS (SELECT 1 FROM log_tree WHERE log_id = NEW.log_id AND size >= NEW.size)"
        " OR NEW.size > 0 AND NOT EXISTS"
        " (SELECT 1 FROM log_leaf WHERE log_id = NEW.log_id AND idx = NEW.size - 1)"
    ),
}
_REASONS = {"gap": "is append-only: a gap", "late": "is append-only: frozen"}
_RAISE = "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';"
_REFUSE_CHANGE = (
    "CREATE OR REPLACE FUNCTION spanproof_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
    f"BEGIN {_RAISE} END $$"
)


def list_names(table: Table, dialect: str) -> list[str]:
    """The names of a table's triggers."""
    verbs = ["update", "delete", "truncate" if dialect == "postgresql" else "replace"]
    verbs += [name for guarded, name in _GAPS if guarded == table.name]
    return [f"{table.name}_refuses_{verb}" for verb in verbs]


def make_triggers(connection: Connection, tables: Iterable[Table]) -> None:
    """Make the triggers of tables without any; a revision calls it for a table that it adds."""
    if connection.dialect.name == "postgresql":
        # Else a user who may make temporary tables could bring an ``erasure`` table of their own.
        schema = connection.scalar(text("SELECT quote_ident(current_schema())"))
        connection.execute(text(_REFUSE_CHANGE))
        statements = (each for table in tables for each in _to_postgresql(table, str(schema)))
    else:
        statements = (each for table in tables for each in _to_sqlite(table))
    for statement in statements:
        connection.execute(text(statement))


def remake_triggers(connection: Connection, table: Table) -> None:
    """Make the triggers of a table again, whose conditions are others now."""
    dialect = connection.dialect.name
    place = f" ON {table.name}" if dialect == "postgresql" else ""
    for name in list_names(table, dialect):
        connection.execute(text(f"DROP TRIGGER {name}{place}"))
    if dialect == "postgresql":
        connection.execute(text(f"DROP FUNCTION IF EXISTS spanproof_guard_{table.name}()"))
    make_triggers(connection, [table])


def _to_sqlite(table: Table) -> Iterator[str]:
    # INSERT OR REPLACE deletes a row without firing the trigger on DELETE, and an upsert is no
    # UPDATE of its own: an INSERT that meets a row of its key is stopped before either.
    taken = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table.name} WHERE"  # noqa: S608 - our own names
        f" {' AND '.join(f'{column} = NEW.{column}' for column in key)})"
        for key in _list_keys(table)
    )
    allowed = _to_allowed(table, same="IS")
    refusals = {
        "update": ("UPDATE", f" WHEN NOT ({allowed})" if allowed else ""),
        "delete": ("DELETE", ""),
        "replace": ("INSERT", f" WHEN {taken}"),
    }
    for (guarded, name), condition in _GAPS.items():
        if guarded == table.name:
            refusals[name] = ("INSERT", f" WHEN {condition}")
    for name, (event, when) in refusals.items():
        yield (
            f"CREATE TRIGGER {table.name}_refuses_{name} BEFORE {event} ON {table.name}{when} BEGIN"
            f" SELECT RAISE(ABORT, '{table.name} {_REASONS.get(name, 'is append-only')}'); END"
        )


def _list_keys(table: Table) -> list[list[str]]:
    """The columns of the primary key and of every other unique key."""
    keys = [each.columns for each in table.constraints if isinstance(each, UniqueConstraint)]
    keys += [each.columns for each in table.indexes if each.unique]
    return [[column.name for column in key] for key in (table.primary_key.columns, *keys)]


def _to_allowed(table: Table, *, same: str) -> str | None:
    """The one change that a row takes: emptied, the rest as it was, its erasure recorded."""
    emptied = _EMPTIED.get(table.name)
    if emptied is None:
        return None
    erased = _OWN_ERASED.get(table.name, _ERASED)
    staying = [column.name for column in table.columns if column.name not in emptied]
    return " AND ".join(
        (
            *(f"NEW.{column} = {empty}" for column, empty in emptied.items()),
            *(f"NEW.{column} {same} OLD.{column}" for column in staying),
            erased,
        )
    )


def _to_postgresql(table: Table, schema: str) -> Iterator[str]:
    allowed = (_to_allowed(table, same="IS NOT DISTINCT FROM") or "").replace("x''", "''::bytea")
    for verb in ("update", "delete", "truncate"):
        function, each = "spanproof_refuse_change", "STATEMENT"
        if verb == "update" and allowed:
            function, each = f"spanproof_guard_{table.name}", "ROW"
            yield (
                f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql"
                f" SET search_path = {schema}, pg_temp AS $$ "
                f"BEGIN IF {allowed} THEN RETURN NEW; END IF; {_RAISE} END $$"
            )
        yield _to_trigger(table.name, verb, verb.upper(), f"{each} EXECUTE FUNCTION {function}()")
    for (guarded, name), condition in _GAPS.items():
        if guarded != table.name:
            continue
        # A condition of the trigger itself may hold no query, so the function asks.
        function = f"spanproof_{guarded}_refuses_{name}"
        yield (
            f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN {_RAISE} END IF; RETURN NEW; END $$"
        )
        yield _to_trigger(guarded, name, "INSERT", f"ROW EXECUTE FUNCTION {function}()")


def _to_trigger(table: str, name: str, event: str, action: str) -> str:
    return f"CREATE TRIGGER {table}_refuses_{name} BEFORE {event} ON {table} FOR EACH {action}"
