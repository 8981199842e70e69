"""``demo``: ingest and verify sample documents, and check every outcome."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_note, write_rich
from spanproof.api.cli.session import open_session
from spanproof.api.cli.verification.block_view import STYLES, render_block

if TYPE_CHECKING:
    from rich.text import Text

    from spanproof.operations.demo.run import CaseResult, DemoReport

PROGRAM = "spanproof"


def demo(
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Output folder for PDFs, JSON and page images.")
    ] = Path("demo-output"),
) -> int:
    """Run a complete example on two sample PDFs.

    It ingests the PDFs, verifies an answer with six citations and shows the results. It writes to
    the store of SPANPROOF_HOME, so 'spanproof serve' can show the answer afterwards. Exit 1 unless
    all six citations come out as expected.
    """
    from spanproof.operations.demo.run import run_demo

    started = time.monotonic()

    def announce(step: str) -> None:
        write_note(f"{time.monotonic() - started:6.1f} s  {step}")

    with open_session() as context:
        report = run_demo(context, output, announce)
        settings = context.settings
    announce("Done.")
    address = f"http://127.0.0.1:{settings.port}/answers/{report.response['verification_id']}"
    write_rich(*_render(report, home=settings.home, address=address))
    return ExitCode.OK if report.is_as_expected else ExitCode.FAILED


def _render(report: DemoReport, *, home: Path, address: str) -> list[Text]:
    from rich.text import Text

    lines = [Text(), Text("The answer", "bold"), Text(report.response["answer"]), Text()]
    lines += [Text("The verification block", "bold"), *render_block(report.response), Text()]
    lines += [Text("Expected and got", "bold"), *map(_render_case, report.results), Text()]
    lines += [Text("Written", "bold"), *(Text(f"  {path}") for path in report.files), Text()]
    if report.is_as_expected:
        lines.append(Text("All six citations came out as expected.", "bold green"))
    else:
        lines.append(Text("Not every citation came out as expected: see above.", "bold red"))
    lines += [
        Text(f"The answer is stored in {home}. To read it in the console:"),
        Text(f"  {_command()} serve"),
        Text(f"and open {address} in a browser."),
    ]
    return lines


def _render_case(result: CaseResult) -> Text:
    from rich.text import Text

    case, verdict = result.case, result.verdict
    wanted = [case.outcome, case.existence, *([case.support] if case.support else [])]
    got = [verdict["outcome"], verdict["existence"]["status"]]
    got += [verdict["support"]["status"]] if case.support else []
    mark, style = ("✓", STYLES["pass"]) if result.is_as_expected else ("✗", STYLES["fail"])
    line = Text.assemble(
        (f"  {mark} ", style), f"[{verdict['anchor']}] {case.lesson}: {' '.join(wanted)}"
    )
    return line if result.is_as_expected else line.append(f", got {' '.join(got)}", style)


def _command() -> str:
    # After 'make demo' the program is in .venv/bin, which is not on the PATH.
    return PROGRAM if shutil.which(PROGRAM) else sys.argv[0]
