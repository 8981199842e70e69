"""The program: its commands, and the one place where an error becomes one line."""

from __future__ import annotations

import traceback
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from spanproof.api.cli import (
    backups,
    bulk,
    demonstration,
    diagnosis,
    jobs,
    keys,
    policies,
    sampling,
    server,
    webhooks,
)
from spanproof.api.cli.audit import consistency as audit_consistency
from spanproof.api.cli.audit import fsck as audit_fsck
from spanproof.api.cli.audit import replay as audit
from spanproof.api.cli.audit import trust as audit_trust
from spanproof.api.cli.audit import verify as audit_verify
from spanproof.api.cli.documents import accesses, backfilling, chunks, erasing, keeping, sources
from spanproof.api.cli.documents import commands as documents
from spanproof.api.cli.exit_code import ExitCode, of_error
from spanproof.api.cli.indexes import commands as indexes
from spanproof.api.cli.log import commands as log
from spanproof.api.cli.model import commands as model
from spanproof.api.cli.model import evaluation
from spanproof.api.cli.output import OutputClosedError, write_bytes, write_error, write_problem
from spanproof.api.cli.verification import (
    answers,
    attribute,
    difference,
    fields,
    grammars,
)
from spanproof.core.errors import SpanproofError
from spanproof.core.extras import find_missing_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROGRAM = "spanproof"
#: Typer carries its own copy of click, so the class is taken from what typer itself exports.
_UsageError = cast("type[Exception]", typer.BadParameter.__base__)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; no traceback ever reaches the terminal."""
    try:
        command = get_command()
        code = command(list(arguments) or ["--help"], prog_name=PROGRAM, standalone_mode=False)
    except SpanproofError as error:
        write_problem(error)
        return of_error(error)
    except _UsageError as error:
        write_error("USAGE", _describe_usage(error))
        return ExitCode.MALFORMED
    except OutputClosedError:
        return ExitCode.OUTPUT_CLOSED
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except ModuleNotFoundError as error:
        missing = find_missing_extra(error)
        if missing is None:
            return _report_fault(error)
        write_problem(missing)
        return of_error(missing)
    except OSError as error:
        place = f" ({error.filename!r})" if error.filename else ""
        write_error(
            "IO_ERROR",
            f"Expected to read and write files, got {error.strerror or error!r}{place}. "
            "Check the path, its permissions and the space on the disk.",
        )
        return ExitCode.ERROR
    except Exception as error:  # noqa: BLE001 - the outermost door: a fault of ours is one line too
        return _report_fault(error)
    if code == ExitCode.INTERRUPTED:
        write_error("INTERRUPTED", "Expected to finish, got an interrupt. Run the command again.")
    return int(code or ExitCode.OK)


def _report_fault(error: Exception) -> ExitCode:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    write_error(
        SpanproofError.code,
        f"Expected no internal error, got {error!r} at {place}. "
        "Please report it with the command that you ran.",
    )
    return ExitCode.ERROR


@cache
def get_command() -> Callable[..., Any]:
    """The commands, built once: reading all their signatures takes a tenth of a second."""
    return typer.main.get_command(build_app())


def build_app() -> typer.Typer:
    """The commands in the order in which a newcomer meets them."""
    app = typer.Typer(
        name=PROGRAM,
        help="Verify the citations of an AI answer: the document, the words, their place on the "
        "page, and whether they support the claim.",
        epilog="Every setting is an environment variable SPANPROOF_… or a line of spanproof.toml "
        "('spanproof init' writes one); SPANPROOF_HOME (default "
        "./.spanproof) holds the store. Exit codes: 0 done or pass, 1 fail or review, 2 malformed "
        "input, 3 error or refused.",
        rich_markup_mode=None,
    )
    app.callback()(_root)
    app.command("init")(diagnosis.init)
    app.command("demo")(demonstration.demo)
    app.command("serve")(server.serve)
    app.command("ingest")(documents.ingest)
    app.command("text")(documents.text)
    app.command("locate")(documents.locate)
    app.command("find")(documents.find)
    app.command("chunks")(chunks.chunks)
    app.command("backfill")(backfilling.backfill)
    app.command("verify")(answers.verify)
    app.command("diff")(difference.diff)
    app.command("eval")(evaluation.evaluate)
    app.command("attribute")(attribute.attribute)
    app.command("entail")(model.entail)
    app.command("erase")(erasing.erase)
    app.add_typer(sources.build_document_commands(), name="documents")
    app.add_typer(keeping.build_hold_commands(), name="holds")
    app.add_typer(keeping.build_retention_commands(), name="retention")
    app.add_typer(keeping.build_words_commands(), name="words")
    app.add_typer(accesses.build_access_commands(), name="accesses")
    app.command("clean")(grammars.clean)
    app.command("prompt")(grammars.prompt)
    app.add_typer(_build_turns(), name="fields")
    app.add_typer(_build_models(), name="model")
    app.add_typer(_build_audits(), name="audit")
    app.add_typer(log.build_log_commands(), name="log")
    app.add_typer(keys.build_key_commands(), name="keys")
    app.add_typer(grammars.build_citation_commands(), name="citations")
    app.command("rehearse")(policies.rehearse)
    app.add_typer(policies.build_policy_commands(), name="policies")
    app.add_typer(indexes.build_index_commands(), name="index")
    app.command("drift")(indexes.drift)
    app.add_typer(sampling.build_sample_commands(), name="sample")
    app.command("rates")(sampling.rates)
    app.add_typer(sampling.build_review_commands(), name="review")
    app.add_typer(bulk.build_bulk_commands(), name="bulk")
    app.add_typer(jobs.build_job_commands(), name="jobs")
    app.command("worker")(jobs.worker)
    app.add_typer(webhooks.build_webhook_commands(), name="webhooks")
    app.command("backup")(backups.backup)
    app.command("restore")(backups.restore)
    app.command("doctor")(diagnosis.doctor)
    return app


def _build_turns() -> typer.Typer:
    turns = typer.Typer(
        cls=fields.FieldsGroup,
        help="The fields of a structured context that an answer uses.",
        rich_markup_mode=None,
    )
    turns.command(fields.FIND)(fields.fields_find)
    turns.command("calibrate")(fields.fields_calibrate)
    return turns


def _build_models() -> typer.Typer:
    models = typer.Typer(help="The entailment model.", rich_markup_mode=None)
    models.callback()(_models)
    models.command("info")(model.model_info)
    models.command("register")(model.model_register)
    models.command("calibrate")(model.model_calibrate)
    return models


def _build_audits() -> typer.Typer:
    audits = typer.Typer(help="Check receipts and logs.", rich_markup_mode=None)
    audits.callback()(_audits)
    audits.command("trust")(audit_trust.trust)
    audits.command("verify")(audit_verify.verify)
    audits.command("consistency")(audit_consistency.consistency)
    audits.command("fsck")(audit_fsck.fsck)
    audits.command("export")(audit_trust.export)
    audits.command("sample")(sampling.audit_sample)
    audits.command("replay")(audit.replay)
    return audits


def _show_version(*, wanted: bool) -> None:
    if wanted:
        write_bytes(f"{PROGRAM} {metadata.version(PROGRAM)}\n".encode())
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None:
    """The root command; the subcommands do the work."""
    del version  # its callback has answered


def _models() -> None:
    """Show, register and calibrate entailment models."""


def _audits() -> None:
    """Check receipts, logs and verifications."""


def _describe_usage(error: Any) -> str:  # noqa: ANN401 - typer's copy of click has no public name
    context = getattr(error, "ctx", None)
    path = PROGRAM if context is None else context.command_path
    message = error.format_message().rstrip(".")
    return (
        f"Expected the arguments that '{path} --help' lists, got: {message}. Run '{path} --help'."
    )
