"""An evaluation as a report for people and CI: JUnit XML, Markdown, or one HTML page.

Unlike a run file a report has words of the answers: why each case that does not pass came to its
result. One page is one file and asks no server for anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Self
from xml.etree import ElementTree as ET

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from spanproof.monitor.evaluation import Rate
    from spanproof.monitor.evaluation_run import EvaluationRun

#: XML 1.0 has no control characters but these.
_XML_CONTROLS = frozenset("\t\n\r")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:.4rem;"
    "text-align:left;vertical-align:top}.pass{color:#1a7f37}.review{color:#9a6700}"
    ".fail{color:#b42318}.error{color:#8250df}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One answer: its name, its result, what was expected of it, and the lines that say why."""

    name: str
    result: str
    expected: str | None = None
    reasons: tuple[str, ...] = ()

    @property
    def is_at_fault(self) -> bool:
        """Whether it counts as a failed test: not as expected, else a fail or an error."""
        if self.expected is not None:
            return self.result != self.expected
        return self.result in {"fail", "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Rates, answers, and what a gate found wrong; ``verifier`` names the code that judged."""

    rates: tuple[Rate, ...]
    rows: tuple[ReportRow, ...]
    verifier: str
    faults: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, run: EvaluationRun, reasons: Mapping[str, tuple[str, ...]], faults: tuple[str, ...]
    ) -> Self:
        """The report of a run; ``reasons`` are the lines of its cases by ``case_id``."""
        rows = tuple(
            ReportRow(
                name=case.case_id,
                result=case.result,
                expected=case.expected,
                reasons=reasons.get(case.case_id, ())
                + ((f"not verified: {case.problem}",) if case.problem else ()),
            )
            for case in run.cases
        )
        verifier = str(run.header.get("verifier", ""))
        return cls(rates=run.rates.rates, rows=rows, verifier=verifier, faults=faults)


def write_report(report: Report, path: Path) -> bytes:
    """The bytes of a report of the kind that the name of its file says.

    Raises InputError for another suffix than .xml, .md and .html.
    """
    return find_writer(path)(report).encode("utf-8")


def find_writer(path: Path) -> Callable[[Report], str]:
    """What writes a report of this name; raises as ``write_report``."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        msg = f"Expected a report named {', '.join(_WRITERS)}, got {str(path)!r}."
        raise InputError(msg, hint="Give --report report.html, report.md or report.xml.")
    return writer


def write_junit(report: Report) -> str:
    """A test suite with a test for each answer, as CI systems read it."""
    wrong = [row for row in report.rows if row.is_at_fault]
    counts = {
        "tests": str(len(report.rows) + len(report.faults)),
        "failures": str(len(wrong) + len(report.faults)),
        "errors": "0",
    }
    suites = ET.Element("testsuites")
    suite = ET.SubElement(suites, "testsuite", {"name": "spanproof", **counts})
    for fault in report.faults:
        own = ET.SubElement(suite, "testcase", {"classname": "spanproof", "name": "gate"})
        ET.SubElement(own, "failure", {"message": _clean(fault)})
    for row in report.rows:
        named = {"classname": "spanproof", "name": _clean(row.name)}
        own = ET.SubElement(suite, "testcase", named)
        if row.is_at_fault:
            said = f"{row.result}, should be {row.expected or 'pass or review'}"
            told = ET.SubElement(own, "failure", {"message": said})
            told.text = _clean("\n".join(row.reasons))
    return ET.tostring(suites, encoding="unicode") + "\n"


def write_markdown(report: Report) -> str:
    """Tables as GitHub and GitLab show them under a change."""
    lines = ["# Spanproof evaluation", ""]
    lines += [f"- **{_plain(fault)}**" for fault in report.faults]
    lines += ["", "| rate | of | count | share | 95 % interval |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_to_cells(rate))} |" for rate in report.rates]
    lines += ["", "| answer | result | expected | why |", "|---|---|---|---|"]
    lines += [
        f"| {_plain(row.name)} | {row.result} | {row.expected or ''} |"
        f" {'<br>'.join(map(_plain, row.reasons))} |"
        for row in report.rows
    ]
    return "\n".join(lines) + "\n"


def write_page(report: Report) -> str:
    """One HTML page with its style; every word of an answer is escaped."""
    rates = "".join(
        "<tr>" + "".join(f"<td>{_show(cell)}</td>" for cell in _to_cells(rate)) + "</tr>"
        for rate in report.rates
    )
    answers = "".join(
        f'<tr><td>{_show(row.name)}</td><td class="{row.result}">{row.result}</td>'
        f"<td>{row.expected or ''}</td><td>{'<br>'.join(map(_show, row.reasons))}</td></tr>"
        for row in report.rows
    )
    faults = "".join(f'<p class="fail"><b>{_show(fault)}</b></p>' for fault in report.faults)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Spanproof evaluation</title><style>{_STYLE}</style></head><body>"
        f"<h1>Spanproof evaluation</h1><p>{len(report.rows)} answers, {_show(report.verifier)}</p>"
        f"{faults}<h2>Rates</h2><table><thead><tr><th>rate</th><th>of</th><th>count</th>"
        f"<th>share</th><th>95 % interval</th></tr></thead><tbody>{rates}</tbody></table>"
        "<h2>Answers</h2><table><thead><tr><th>answer</th><th>result</th><th>expected</th>"
        f"<th>why</th></tr></thead><tbody>{answers}</tbody></table></body></html>\n"
    )


_WRITERS = {".xml": write_junit, ".md": write_markdown, ".html": write_page}


def _show(text: str) -> str:
    """A text between tags."""
    return escape(text, quote=False)


def _to_cells(rate: Rate) -> tuple[str, str, str, str, str]:
    found = rate.interval
    if found is None:
        return (rate.name, "0", "", "not measured", "")
    interval = f"{found.low:.4f} to {found.high:.4f}"
    return (rate.name, str(rate.n), str(rate.count), f"{found.estimate:.4f}", interval)


def _plain(text: str) -> str:
    """A text in a cell of a Markdown table: nothing of it is a mark or a line end."""
    line = escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{char}" if char in "\\|`*_[]#" else char for char in line)


def _clean(text: str) -> str:
    """The text without the characters that XML does not have."""
    return "".join(c for c in text if c.isprintable() or c in _XML_CONTROLS)
