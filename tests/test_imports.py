"""What a command may load before it has work to do."""

import resource
import subprocess
import sys

import pytest

import spanproof

HEAVY = (
    "torch",
    "transformers",
    "pymupdf",
    "fitz",
    "unstructured",
    "sqlalchemy",
    "sqlmodel",
    "alembic",
    "fastapi",
    "uvicorn",
    "dbos",
)
HELP_SECONDS = 0.5


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def _run_program(*arguments: str) -> str:
    return f"from spanproof.api.cli.program import run\nassert run({list(arguments)!r}) == 0"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["verify", "--help"], ["serve", "--help"], ["--version"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    loaded = _loaded_by(_run_program(*arguments))
    assert "spanproof.api.cli.program" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize(
    "package",
    [
        "spanproof",
        "spanproof.core",
        "spanproof.ingest",
        "spanproof.store",
        "spanproof.verifier",
        "spanproof.client",
        "spanproof.operations",
        "spanproof.api",
        "spanproof.api.cli",
        "spanproof.operations.context",
    ],
)
def test_importing_a_package_loads_nothing_heavy(package: str) -> None:
    assert not _loaded_by(f"import {package}") & set(HEAVY)


def test_help_starts_within_half_a_second() -> None:
    # Processor time, and the best of three: the rule is about our work, not about what else runs.
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", "from spanproof.api.cli import main; main()", "--help"],
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) < HELP_SECONDS


def test_reanchoring_loads_nothing_of_the_procedure() -> None:
    loaded = _loaded_by("import spanproof.verifier.quotes.reanchor")
    ours = {name for name in loaded if name.startswith("spanproof.")}
    assert "spanproof.verifier.quotes.reanchor.search" in ours
    others = ("verify", "entailment", "formats", "claims", "support", "slots", "answers")
    assert not [
        name for name in ours if name.startswith(tuple(f"spanproof.verifier.{o}" for o in others))
    ]


def test_every_public_name_is_found_where_it_is_said_to_be() -> None:
    for name in spanproof.__all__:
        assert getattr(spanproof, name)
