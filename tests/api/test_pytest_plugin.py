"""The pytest plugin in sessions of its own: what passes, what fails, and the report."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.long, pytest.mark.model]

SESSION = """
from spanproof.core.errors import MalformedAnswerError
import pytest

TERM = "The lease runs for five years."
RENT = "The rent is 850 euros a month."

def test_holds(spanproof):
    block = spanproof.assert_grounded("The lease runs for five years [1].", [TERM, RENT])
    assert block.result == "pass"

def test_fails(spanproof):
    spanproof.assert_grounded("The rent is 900 euros a month <b> [2].", [TERM, RENT])

def test_uncited(spanproof):
    spanproof.assert_grounded(RENT, [TERM, RENT], allow={"pass", "review"})
    with pytest.raises(AssertionError, match="pass .allow=.'pass'.., got review"):
        spanproof.assert_grounded(RENT, [TERM, RENT])

def test_other(spanproof):
    with pytest.raises(TypeError, match="contexts"):
        spanproof.verify("So.", 3)
"""
RUN = ("-p", "no:randomly", "-p", "no:cacheprovider")


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_answers=SESSION)
    return pytester


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_an_answer_that_is_not_grounded_fails_its_test(
    session: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    done = session.runpytest_subprocess(*RUN, *workers, "--spanproof-report", "out.html")
    done.assert_outcomes(passed=3, failed=1)
    done.stdout.fnmatch_lines(["*'900 euros' where the span says '850 euros'*"])
    page = (session.path / "out.html").read_text(encoding="utf-8")
    assert len(re.findall(r"<tr><td>test_answers\.py::test_", page)) == 4
    assert "test_uncited (2)" in page
    assert "&lt;b&gt;" in page
    assert "<b> [2]" not in page
    assert not re.search(r"https?://|<script|<link", page), "the page asks no server"


def test_the_report_may_be_junit(session: pytest.Pytester) -> None:
    session.runpytest_subprocess(*RUN, "--spanproof-report=out.xml", "-k", "holds or fails")
    suite = ET.parse(session.path / "out.xml").getroot()[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_a_report_of_another_kind_is_refused_before_the_tests(session: pytest.Pytester) -> None:
    done = session.runpytest_subprocess(*RUN, "--spanproof-report=out.txt")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*Expected a report named .xml, .md, .html*"])
