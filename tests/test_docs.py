"""The documentation is read by these tests: what it names exists, and what exists it names."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING, Any, cast, get_args

import pytest
from pydantic import TypeAdapter

from spanproof.api.cli.program import build_app
from spanproof.api.http.app import create_app
from spanproof.core.documents.layout import CharFlag
from spanproof.core.verdicts.block_shapes import BlockOut
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    SupportStatus,
)
from spanproof.operations.settings import PREFIX, Settings
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.slots import DoubtKind, VetoKind
from tests.pages import DOCS, ROOT, read_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum
    from pathlib import Path

PACKAGES = ("core", "ingest", "verifier", "store", "operations", "client", "api")
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
AXES: dict[str, type[StrEnum]] = {
    "IDENTITY": IdentityStatus,
    "EXISTENCE": ExistenceStatus,
    "LOCATOR": LocatorStatus,
    "SUPPORT": SupportStatus,
    "ATTRIBUTION": AttributionStatus,
}
_CODE = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)+")
#: Settings of OpenVINO, and words of Cohere's and Google's payloads.
_NO_CODES = {
    "FINISH_REASON_UNSPECIFIED",
    "STATE_UNSPECIFIED",
    "TEXT_CONTENT",
    "STOP_SEQUENCE",
    "THINKING_CONTENT",
    "SOURCES_START",
    "SOURCES_END",
    "INFERENCE_NUM_THREADS",
    "INFERENCE_PRECISION_HINT",
    "NUM_STREAMS",
    "PERFORMANCE_HINT",
}
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def read(name: str) -> str:
    """A page of the documentation, or a file beside it."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.exists() else read_page(name)


def first_cells(page: str) -> set[str]:
    """The code words in the first column of a page's tables."""
    rows = re.findall(r"^\| ((?:`[^`|]+`(?:, )?)+) \|", read(page), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def parse_sources(*packages: str, word: str = "") -> Iterator[ast.AST]:
    """Every node of the packages' files in which the word stands."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if word in source:
                yield from ast.walk(ast.parse(source))


def find_strings(node: ast.AST | None) -> set[str]:
    """The strings that an expression may be, where it is written out: literals and choices."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.IfExp):
        return find_strings(node.body) | find_strings(node.orelse)
    if isinstance(node, ast.BoolOp):
        return {found for value in node.values for found in find_strings(value)}
    return set()


def find_error_codes() -> set[str]:
    """What every class of ours assigns to ``code``, and every ``code=`` of a call."""
    found: set[str] = set()
    for node in parse_sources(*PACKAGES, word="code"):
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "code":
                    found |= find_strings(line.value)
                if isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == "code":
                    found |= find_strings(line.value)
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                    found |= {code for code in find_strings(keyword.value) if code.isupper()}
    return found


def find_calls(name: str, *packages: str) -> Iterator[ast.Call]:
    """The calls of a function or class by its bare name."""
    for node in parse_sources(*packages, word=f"{name}("):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def find_argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument by its name or its position."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return next(named, None) or (call.args[position] if len(call.args) > position else None)


def test_every_error_code_has_an_entry() -> None:
    codes = find_error_codes()
    assert {"MALFORMED_ANSWER", "DOCUMENT_ENCRYPTED", "INTERNAL", "NO_TEXT_LAYER"} <= codes
    assert codes <= first_cells("codes.md")


def test_every_code_of_the_command_line_has_an_entry() -> None:
    codes = {
        code
        for call in find_calls("write_error", "api")
        for code in find_strings(find_argument(call, 0, "code"))
    }
    assert {"USAGE", "IO_ERROR"} <= codes
    assert codes <= first_cells("codes.md")


def test_every_status_of_every_axis_has_an_entry() -> None:
    codes = {f"{axis}_{status.value}" for axis, statuses in AXES.items() for status in statuses}
    assert codes <= first_cells("codes.md")


def test_every_named_verdict_code_has_an_entry() -> None:
    named = {
        node.value
        for node in parse_sources("verifier")
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _CODE.fullmatch(node.value)
    }
    named -= _NO_CODES
    assert {"HASH_NOT_GIVEN", "SPAN_OUT_OF_RANGE", "HIDDEN_TEXT"} <= named
    # Statuses of several words are strings of ``spanproof.core.verdicts.status`` alone, so all of
    # these are codes.
    assert named <= first_cells("codes.md")


def test_every_code_that_a_policy_decides_has_an_entry_and_a_row() -> None:
    table = first_cells("verification.md")
    for name in NAMES:
        codes = {code for code, _ in load_policy(name).effects}
        assert codes <= first_cells("codes.md")
        assert codes <= table


def test_the_policies_decide_what_the_procedure_says() -> None:
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| (\w+) \| (\w+) \| (\w+) \|$", read("verification.md"), re.MULTILINE
    )
    policies = [load_policy(name) for name in ("balanced", "strict", "review")]
    assert rows
    for code, *effects in rows:
        assert [policy.effect_of(code) for policy in policies] == effects, code


def test_every_veto_has_an_entry() -> None:
    kinds = get_args(VetoKind)
    assert {"number", "negation"} <= set(kinds)
    assert {f"VETO_{kind.upper()}" for kind in kinds} <= first_cells("codes.md")
    assert {kind.upper() for kind in get_args(DoubtKind)} <= first_cells("codes.md")


def test_every_reason_has_an_entry() -> None:
    reasons = {
        reason
        for name, position in (
            *(("unread", 0), ("not_run", 0), ("_not_run", 0), ("Plan", 0), ("Support", 1)),
        )
        for call in find_calls(name, "verifier", "operations", "api")
        for reason in find_strings(find_argument(call, position, "reason"))
    }
    reasons |= {
        reason
        for node in parse_sources("verifier")
        if isinstance(node, ast.FunctionDef) and node.name in {"_decide", "_recommend"}
        for returned in ast.walk(node)
        if isinstance(returned, ast.Return) and isinstance(returned.value, ast.Tuple)
        for reason in find_strings(returned.value.elts[1])
    }
    reasons |= {
        reason
        for node in parse_sources("verifier", word="refuse")
        if isinstance(node, ast.FunctionDef)
        and node.name in {"refuse_texts", "refuse_tokens", "_refuse"}
        for returned in ast.walk(node)
        if isinstance(returned, ast.Return)
        for reason in find_strings(returned.value)
    }
    assert {"no_span", "claim_too_long", "claim_language", "veto", "no_citations"} <= reasons
    assert reasons <= first_cells("codes.md")


def test_every_setting_stands_in_its_table_and_no_other() -> None:
    documented = {name for name in first_cells("settings.md") if name.startswith(PREFIX)}
    assert documented == {PREFIX + name.upper() for name in Settings.model_fields}


def test_every_command_and_option_has_its_section() -> None:
    sections = dict(
        re.findall(r"^## (spanproof .+)\n((?:(?!^## ).*\n?)*)", read("cli.md"), re.MULTILINE)
    )
    commands: dict[str, Any] = cast("Any", build_command()).commands
    assert commands
    for name, command in commands.items():
        section = sections[f"spanproof {name}"]
        for part in (command, *getattr(command, "commands", {}).values()):
            assert part is command or f"spanproof {name} {part.name}" in section
            options = [opt for parameter in part.params for opt in parameter.opts]
            for option in options:
                assert not option.startswith("--") or option == "--help" or option in section, (
                    f"{name} {option}"
                )
    assert len(sections) == len(commands)


def build_command() -> object:
    """The root command as typer builds it."""
    import typer

    return typer.main.get_command(build_app())


def test_every_route_stands_in_its_table_and_no_other(tmp_path: Path) -> None:
    paths = create_app(Settings(home=tmp_path)).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert first_cells("http.md") == routes


def test_every_field_of_the_block_is_described() -> None:
    page = read("block.md")
    schema = TypeAdapter(BlockOut).json_schema()
    for shape in (schema, *schema["$defs"].values()):
        for name in shape["properties"]:
            assert f"`{name}`" in page, f"{shape['title']}.{name}"


def test_every_flag_is_described() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (\d+) \|", read("canonical-text.md"), re.MULTILINE))
    assert {name: int(value) for name, value in rows.items()} == {f.name: f.value for f in CharFlag}


def test_every_direct_dependency_is_in_the_list_of_licences() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    groups = {"The library": project["dependencies"]}
    groups |= {f"The extra `{name}`": extras[name] for name in ("documents", "server", "torch")}
    page = read("licences.md")
    for title, lines in groups.items():
        (section,) = re.findall(rf"^### {title}\n(.*?)^###", page, re.DOTALL | re.MULTILINE)
        listed = re.findall(r"^\| ([a-z0-9-]+) \| [^|]+ \|$", section, re.MULTILINE)
        wanted = {re.split(r"[\[<>=~! ]", line)[0] for line in lines} - {"spanproof"}
        assert set(listed) - {"package"} == wanted, title
    others = set(re.findall(r"^\| `([a-z0-9]+)` \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE))
    assert others == set(extras) - {"documents", "server", "torch", "dev"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_internal_links_resolve(page: Path) -> None:
    for target, anchor in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
            assert anchor in slugs, f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_make_commands_of_the_documentation_are_targets(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    text = page.read_text(encoding="utf-8")
    for line in re.findall(
        r"(?:^|`)make ((?:[A-Z]+=\S+ )?[a-z-]+)(?=`|\s*(?:#.*)?$)", text, re.MULTILINE
    ):
        assert line.split()[-1] in targets, line


def list_shell(page: str) -> str:
    """The commands of a page, line by line."""
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", read(page), re.DOTALL | re.MULTILINE))


def test_the_readme_names_the_two_commands() -> None:
    assert {"make demo", "make test"} <= set(list_shell("README.md").splitlines())


def test_the_list_of_commands_names_each_once_at_least() -> None:
    known = set(cast("Any", build_command()).commands)
    named = set(re.findall(r"^spanproof ([a-z]+)", list_shell("cli.md"), re.MULTILINE))
    assert named == known - {"demo"}


def test_no_page_has_trailing_blanks() -> None:
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        assert all(line == line.rstrip() for line in lines), page


def test_each_word_of_the_glossary_has_one_meaning() -> None:
    rows = re.findall(r"^\| ([a-z -]+) \| .+ \| .*\|$", read("glossary.md"), re.MULTILINE)
    words = [word for word in rows if word != "word"]
    assert {"witness", "cross-check", "evidence", "delivery", "reading"} <= set(words)
    assert len(words) == len(set(words))
