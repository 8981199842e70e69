"""What is changed: every mutant of a module's source, one change each.

Left alone, for no test should pin them: annotations, docstrings, decorators (the options of a
dataclass), imports for types only, and the words of error messages.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    # The boundary, and the opposite.
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
#: Names and arguments that hold words for people.
_WORDS = frozenset(
    [
        "msg",
        "hint",
        "got",
        "what",
        "wanted",
        "said",
        "detail",
        "reason",
        "words",
        "where",
        "message",
        "wrong",
    ]
)
#: Our functions whose texts are such words too.
_SAYING = frozenset({"_demand", "_require_same", "_line", "_fail", "_pass", "Mismatch", "refuse"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HEADED = (
    ast.If,
    ast.While,
    ast.For,
    ast.With,
    ast.Try,
    ast.ExceptHandler,
    ast.Match,
    ast.match_case,
    *_FUNCTIONS,
    ast.ClassDef,
)
_Make = Callable[[str, object], "_Change"]
_Shown = ast.stmt | ast.ExceptHandler | ast.match_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: where it stands, what it was, and the code of the whole module with it.

    ``function`` is the outermost function (qualified name) whose code has it; None where it takes
    effect when the module is imported. ``lines`` are those of its statement, or of its head.
    """

    module: str
    operator: str
    line: int
    lines: range
    function: str | None
    was: str
    becomes: str
    repeat: int
    code: CodeType

    @property
    def name(self) -> str:
        """The same on every run, wherever the lines move to."""
        repeat = f" #{self.repeat}" if self.repeat > 1 else ""
        where = f"{self.module}:{self.function or '<module>'}"
        return f"{where}: {self.was} => {self.becomes}{repeat}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A value to put into a field of a node (or at a place of a list that it holds)."""

    operator: str
    owner: ast.AST
    field: str
    at: int | None
    value: object

    def swap(self, value: object) -> object:
        """Put a value in; what stood there."""
        if self.at is None:
            was = getattr(self.owner, self.field)
            setattr(self.owner, self.field, value)
            return was
        items = getattr(self.owner, self.field)
        was, items[self.at] = items[self.at], value
        return was


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a node stands: its statement, and the outermost function around it."""

    statement: _Shown
    function: str | None


def list_mutants(module: str, source: str, path: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(source, path)
    seen: Counter[tuple[str | None, str, str]] = Counter()
    for place, change in list(_walk(tree, None, "")):
        was = _show(place.statement)
        before = change.swap(change.value)
        try:
            becomes = _show(place.statement)
            code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        finally:
            change.swap(before)
        if isinstance(change.value, ast.Pass):
            becomes = "(deleted)"
        elif isinstance(change.value, ast.Break | ast.Continue):
            becomes = ast.unparse(change.value)
        seen[place.function, was, becomes] += 1
        yield Mutant(
            module=module,
            operator=change.operator,
            line=_find_line(change, place),
            lines=_list_lines(place.statement),
            function=place.function,
            was=was,
            becomes=becomes,
            repeat=seen[place.function, was, becomes],
            code=code,
        )


def _walk(node: ast.AST, place: _Place | None, inside: str) -> Iterator[tuple[_Place, _Change]]:
    """The changes below a node, whose outermost function is known by its place."""
    for field, at, child in _list_children(node):
        if _is_left_alone(node, field, child):
            continue
        below, name = place, inside
        function = None if place is None else place.function
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            name = f"{inside}.{child.name}" if inside else child.name
        if isinstance(child, _Shown):
            below = _Place(statement=child, function=function)
        if isinstance(child, _FUNCTIONS) and function is None and field == "body":
            # Its defaults take effect when the module is imported, its body when it is called.
            yield from _walk(child.args, below, name)
            inner = ast.Module(body=child.body, type_ignores=[])
            yield from _walk(inner, _Place(statement=child, function=name), name)
            continue
        if below is not None:
            yield from ((below, change) for change in _list_changes(node, field, at, child))
        yield from _walk(child, below, name)


def _list_children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield field, None, value
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield field, at, item


def _is_left_alone(parent: ast.AST, field: str, child: ast.AST) -> bool:
    if field in {"annotation", "returns", "decorator_list", "bases", "keywords"} and isinstance(
        parent, (ast.ClassDef, ast.AnnAssign, ast.arg, *_FUNCTIONS)
    ):
        return True
    if isinstance(child, ast.Import | ast.ImportFrom | ast.expr_context):
        return True
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True  # A docstring, or the dots of a protocol.
    if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
        return True
    if isinstance(child, ast.keyword):
        return child.arg in _WORDS
    if isinstance(child, ast.Assign | ast.AnnAssign):
        targets = child.targets if isinstance(child, ast.Assign) else [child.target]
        names = {ast.unparse(target) for target in targets}
        return any(
            name in _WORDS or name.endswith(("HINT", "RESTORE")) or name[:2] == "__"
            for name in names
        )
    if isinstance(parent, ast.Call) and field in {"args", "keywords"}:
        called = ast.unparse(parent.func)
        if called.rpartition(".")[2] in _SAYING and isinstance(child, ast.JoinedStr | ast.Constant):
            return True
        return called.endswith("Error") or (called == "cast" and child is parent.args[0])
    return isinstance(parent, ast.Raise)


def _list_changes(  # noqa: C901 - a case for each kind of node
    parent: ast.AST, field: str, at: int | None, node: ast.AST
) -> Iterator[_Change]:
    def change(operator: str, value: object) -> _Change:
        return _Change(operator=operator, owner=parent, field=field, at=at, value=value)

    match node:
        case ast.cmpop():
            for kind in _COMPARISONS[type(node)]:
                yield change("comparison", kind())
        case ast.operator() if not _is_formatting(parent):
            if type(node) in _ARITHMETIC:
                yield change("arithmetic", _ARITHMETIC[type(node)]())
        case ast.And():
            yield change("boolean", ast.Or())
        case ast.Or():
            yield change("boolean", ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield change("boolean", operand)
        case ast.Constant():
            for value in _change_constant(node.value):
                yield change("constant", ast.copy_location(ast.Constant(value), node))
        case ast.expr() | ast.ExceptHandler():
            yield from _change_expression(change, field, node)
        case ast.stmt():
            yield from _change_statement(change, node)
        case _:
            pass


def _change_expression(make: _Make, field: str, node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Slice():
            yield from _shorten(node)
        case ast.ExceptHandler(type=ast.Tuple(elts=kinds)) if node.type is not None:
            for out in range(len(kinds)):
                kept: list[ast.expr] = [kind for n, kind in enumerate(kinds) if n != out]
                value = ast.copy_location(ast.Tuple(kept, ast.Load()), node)
                yield _Change(operator="handler", owner=node, field="type", at=None, value=value)
        case ast.Name() | ast.Call() | ast.Attribute() | ast.BinOp() if field == "test":
            yield make("condition", ast.copy_location(ast.UnaryOp(ast.Not(), node), node))
        case _:
            pass


def _change_statement(make: _Make, node: ast.stmt) -> Iterator[_Change]:
    match node:
        # A constant is changed as such.
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            none = ast.copy_location(ast.Constant(None), node)
            yield _Change(operator="return", owner=node, field="value", at=None, value=none)
        case ast.Continue():
            yield make("statement", ast.copy_location(ast.Break(), node))
        case ast.Break():
            yield make("statement", ast.copy_location(ast.Continue(), node))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield make("statement", ast.copy_location(ast.Pass(), node))
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield make("statement", ast.copy_location(ast.Pass(), node))
        case _:
            pass


def _shorten(node: ast.Slice) -> Iterator[_Change]:
    for field in ("lower", "upper", "step"):
        if getattr(node, field) is not None:
            yield _Change(operator="slice", owner=node, field=field, at=None, value=None)


def _change_constant(value: object) -> tuple[str | bytes | int, ...]:
    match value:
        case bool():
            return (not value,)
        case int():
            return (value + 1, value - 1) if value else (1,)
        case str():
            return ("XX" + value + "XX",) if value else ("XX",)
        case bytes():
            return (b"XX" + value + b"XX",) if value else (b"XX",)
    return ()


def _is_formatting(parent: ast.AST) -> bool:
    return (
        isinstance(parent, ast.BinOp)
        and isinstance(parent.op, ast.Mod)
        and isinstance(parent.left, ast.Constant | ast.JoinedStr)
    )


def _find_line(change: _Change, place: _Place) -> int:
    nodes = (change.value, change.owner, place.statement)
    return next((node.lineno for node in nodes if hasattr(node, "lineno")), 1)


def _list_lines(statement: _Shown) -> range:
    first = statement.pattern.lineno if isinstance(statement, ast.match_case) else statement.lineno
    if isinstance(statement, ast.Match):
        return range(first, statement.cases[0].pattern.lineno)
    body: list[ast.stmt] = getattr(statement, "body", [])
    last = body[0].lineno - 1 if body else getattr(statement, "end_lineno", first)
    return range(first, max(first, last) + 1)


def _show(statement: _Shown) -> str:
    """A statement on one line; of one with a body, its head."""
    text = ast.unparse(ast.fix_missing_locations(statement))
    lines = [line for line in text.splitlines() if not line.startswith("@")]
    return lines[0] if isinstance(statement, _HEADED) else " ".join(lines)
