"""The pytest plugin: a fixture ``spanproof`` that asserts that answers keep to their texts.

pytest finds it by the entry point of the installed package. It loads nothing of ours until a test
uses the fixture. ``--spanproof-report FILE`` writes what was asserted as HTML, Markdown or JUnit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.verdicts.verified_answer import VerifiedAnswer

_OPTION = "--spanproof-report"
_RECORDS = pytest.StashKey[list[dict[str, Any]]]()
#: Under this name a worker of pytest-xdist sends its records.
_SENT = "spanproof_records"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the report."""
    group = parser.getgroup("spanproof", "answers checked against their texts")
    group.addoption(
        _OPTION,
        metavar="FILE",
        help="Write every checked answer to this file: .html, .md or .xml.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a report of a kind that cannot be written before any test runs."""
    config.stash[_RECORDS] = []
    target = config.getoption(_OPTION)
    if target:
        from spanproof.core.errors import InputError
        from spanproof.operations.evaluation.reports import find_writer

        try:
            find_writer(Path(target))
        except InputError as error:
            raise pytest.UsageError(error.message) from error


@dataclass(slots=True)
class AnswerChecks:
    """What the fixture ``spanproof`` is."""

    test: str
    records: list[dict[str, Any]]
    _seen: int = field(default=0)

    def verify(
        self,
        answer: str | Mapping[str, Any],
        contexts: Iterable[str | Mapping[str, Any]] = (),
        **chosen: Any,  # noqa: ANN401 - further arguments of spanproof.verify
    ) -> VerifiedAnswer:
        """The block of ``spanproof.verify``; it is part of the report."""
        from spanproof import verify

        block = verify(answer, contexts, **chosen)
        self._seen += 1
        name = self.test if self._seen == 1 else f"{self.test} ({self._seen})"
        lines = repr(block).splitlines()
        self.records.append({"name": name, "result": str(block.result), "lines": lines})
        return block

    def assert_grounded(
        self,
        answer: str | Mapping[str, Any],
        contexts: Iterable[str | Mapping[str, Any]] = (),
        *,
        allow: Iterable[str] = ("pass",),
        **chosen: Any,  # noqa: ANN401 - further arguments of spanproof.verify
    ) -> VerifiedAnswer:
        """Raise AssertionError unless the result is one of ``allow``; return the block.

        An answer without any ``[n]`` is checked sentence by sentence against all contexts; what
        holds is then ``review``, so allow that too.
        """
        __tracebackhide__ = True
        chosen.setdefault("attribute", True)
        block = self.verify(answer, contexts, **chosen)
        allowed = sorted(set(allow))
        if block.result not in allowed:
            expected = (
                f"Expected {' or '.join(allowed)} (allow={set(allowed)}), got {block.result}."
            )
            raise AssertionError(f"{block!r}\n{expected}")
        return block


@pytest.fixture
def spanproof(request: pytest.FixtureRequest) -> AnswerChecks:
    """Check answers against the texts that they were made from: ``spanproof.assert_grounded``."""
    return AnswerChecks(test=request.node.nodeid, records=request.config.stash[_RECORDS])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report; a worker of pytest-xdist sends its part to the process that writes it."""
    config = session.config
    worker = getattr(config, "workeroutput", None)
    if worker is not None:
        worker[_SENT] = config.stash[_RECORDS]
        return
    target = config.getoption(_OPTION)
    if target:
        _write(Path(target), config.stash[_RECORDS])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:  # noqa: ANN401 - of pytest-xdist
    """Take what a worker checked."""
    del error
    node.config.stash[_RECORDS].extend(getattr(node, "workeroutput", {}).get(_SENT, ()))


def _write(target: Path, records: list[dict[str, Any]]) -> None:
    from spanproof.monitor.evaluation import count_rate
    from spanproof.operations.evaluation.reports import Report, ReportRow, write_report
    from spanproof.verifier.version import verifier_name

    rows = tuple(
        ReportRow(name=each["name"], result=each["result"], reasons=tuple(each["lines"]))
        for each in records
    )
    passed = count_rate("passed", "more", (row.result == "pass" for row in rows))
    report = Report(rates=(passed,), rows=rows, verifier=verifier_name())
    target.write_bytes(write_report(report, target))
