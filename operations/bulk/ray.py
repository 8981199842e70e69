"""The same run on a Ray cluster: its parts dealt out to actors, each with a model of its own.

Ray moves names of parts, never rows: an actor reads its part from the input, judges it and writes
it under the part's own name, as one machine does. So the output alone shows which parts are done,
for either engine, and Ray keeps no account of rows (ADR 0021). Input, output and home must be
folders that every machine of the cluster sees under the same path.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SpanproofError
from spanproof.operations.bulk.plan import InputFile, Part, read_parts
from spanproof.operations.bulk.run import Run, Work, judge_part, verify_files
from spanproof.operations.errors import RayUnavailableError
from spanproof.operations.settings import prepare_ray

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from spanproof.operations.bulk.plan import Shard
    from spanproof.operations.bulk.run import BulkProgress
    from spanproof.operations.context import Context


def verify_files_on_ray(
    context: Context,
    source: Path,
    output: Path,
    *,
    shard: Shard | None = None,
    policy: str | None = None,
    **given: Any,  # noqa: ANN401 - the further options of verify_files
) -> Generator[BulkProgress, None, None]:
    """As ``verify_files``, on the cluster of ``RAY_ADDRESS`` or one of this machine's own.

    Raises RayUnavailableError where the extra is not installed or the cluster does not answer.
    """
    settings = context.settings.model_dump(mode="json", exclude={"key_passphrase"})
    # An actor has a working folder of its own.
    settings["home"] = str(context.settings.home.absolute())
    engine = RayActors(settings=settings)
    yield from verify_files(
        context,
        source.absolute(),
        output.absolute(),
        shard=shard,
        policy=policy,
        engine=engine,
        **given,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RayActors:
    """An ``Engine`` on Ray; ``settings`` are those of the context that each actor opens."""

    settings: Mapping[str, Any]

    def judge(self, run: Run, work: Sequence[Work]) -> Iterator[dict[str, Any]]:
        """Judge parts wherever there is room; each comes back once it is in the output."""
        if not work:
            return
        ray = _start_ray()
        try:
            for row in self._deal_out(ray, run, work).iter_rows():
                if row["problem"]:
                    raise _to_error(json.loads(row["problem"]))
                yield json.loads(row["described"])
        except ray.exceptions.RayError as error:
            msg = f"Expected a Ray cluster that finishes its work, got {type(error).__name__}."
            hint = "Run the same command again: whole parts are kept."
            raise RayUnavailableError(msg, hint=hint) from error
        finally:
            ray.shutdown()

    def _deal_out(self, ray: Any, run: Run, work: Sequence[Work]) -> Any:  # noqa: ANN401 - the same
        from ray.data import ActorPoolStrategy, DataContext, from_items

        DataContext.get_current().enable_progress_bars = False
        items = [
            {"item": json.dumps(_to_json(each.file, part))} for each in work for part in each.parts
        ]
        # Each actor has a core; one is left free, for without it Ray's own tasks starve.
        room = int(ray.cluster_resources().get("CPU", 1)) - 1
        return from_items(items, override_num_blocks=len(items)).map(
            PartVerifier,
            fn_constructor_args=(dict(self.settings), run),
            compute=ActorPoolStrategy(size=max(1, min(room, len(items)))),
            num_cpus=1 if room > 0 else 0.5,
        )


class PartVerifier:
    """What an actor does: opened once, called for each of its parts."""

    def __init__(self, settings: Mapping[str, Any], run: Run) -> None:
        from spanproof.operations.assembly import make_context
        from spanproof.operations.bulk.batch import BatchVerifier
        from spanproof.operations.settings import Settings

        self._run = run
        context = make_context(Settings(**settings))
        self._verifier = BatchVerifier(
            context, policy=run.policy, verified_at=run.verified_at, workers=1
        )

    def __call__(self, row: dict[str, str]) -> dict[str, str]:
        """Judge and write one part; the same again writes the same. Errors come back as text."""
        file = _from_json(json.loads(row["item"]))
        try:
            ((part, batch),) = read_parts(file)
            described = judge_part(self._verifier, self._run, file, part, batch)
        except SpanproofError as error:
            kind = type(error)
            problem = [kind.__module__, kind.__name__, error.message, error.hint]
            return {"described": "", "problem": json.dumps(problem)}
        return {"described": json.dumps(described), "problem": ""}


def _start_ray() -> Any:  # noqa: ANN401 - an optional library
    # Before it is imported, for it looks at its variables then.
    address = prepare_ray()
    try:
        import ray
    except ImportError as error:
        msg = "Expected the engine 'ray' to be installed, got none."
        raise RayUnavailableError(msg, hint="Install 'spanproof[ray]'.") from error
    try:
        ray.init(
            address=address,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
        )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        msg = f"Expected a Ray cluster that answers, got {type(error).__name__}."
        raise RayUnavailableError(msg, hint="Check RAY_ADDRESS, or unset it.") from error
    return ray


def _to_json(file: InputFile, part: Part) -> dict[str, Any]:
    named = {"path": str(file.path), "name": file.name, "rows": file.rows}
    return named | {"part": asdict(part)}


def _from_json(fields: Mapping[str, Any]) -> InputFile:
    return InputFile(
        path=Path(fields["path"]),
        name=fields["name"],
        rows=fields["rows"],
        parts=(Part(**fields["part"]),),
    )


def _to_error(problem: Sequence[str]) -> SpanproofError:
    module, name, message, hint = problem
    kind: type[SpanproofError] = getattr(import_module(module), name)
    return kind(message, hint=hint)
