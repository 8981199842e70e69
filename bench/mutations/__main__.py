"""Mutated quotes against the ladder and against published quote checkers.

``python -m bench.mutations --data DIR`` draws documents with a fixed seed, changes one protected
token in each of at least 100,000 true quotes, and prints by kind how many were accepted. The same
quotes, a sample of them, go to the published checkers where ``make bench-quotes`` made
their environment. Exit 1 if a lie was accepted.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.mutations.fuzz import Fuzzer, Mutation
from bench.mutations.peers import PEERS_PYTHON, Case, ask_peers
from bench.mutations.texts import draw_paths, load_extraction, make_extraction, make_text
from bench.report import write_report

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

SEED = 20261122
_SHOWN = 20


def main(arguments: list[str] | None = None) -> int:
    """Fuzz, ask the peers, print the tables, write the JSON."""
    options = _parse(arguments)
    if options.data is None:
        print("Expected a folder of documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    fuzzer = Fuzzer(options.seed, whole_every=options.whole_every)
    print(f"seed {options.seed}; each document's is '{options.seed}:' and its hash")
    cases = _fuzz(fuzzer, Path(options.data) / "documents", options)
    rows = _rows(fuzzer)
    _print_rows(rows)
    for found in fuzzer.false_accepts[:_SHOWN]:
        print(asdict(found))
    rng = random.Random(options.seed)  # noqa: S311 - a sample, no secret
    sample = rng.sample(cases, min(options.peer_sample, len(cases)))
    peers = ask_peers(sample) if sample else []
    _print_peers(peers, len(sample))
    figures = {
        "seed": options.seed,
        "documents": len({case.document for case in cases}),
        "mutations": fuzzer.mutations,
        "false_accepts": sum(row["false_accepts"] for row in rows),
        "rows": rows,
        "peer_sample": len(sample),
        "peers": peers,
    }
    write_report("mutations", figures)
    return 1 if fuzzer.false_accepts else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutations")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--mutations", type=int, default=100_000, help="at least (default 100,000)")
    parser.add_argument("--each", type=int, default=400, help="of one document (default 400)")
    parser.add_argument(
        "--whole-every", type=int, default=20, help="down the whole ladder, one in (default 20)"
    )
    parser.add_argument("--peer-sample", type=int, default=5_000, help=f"for {PEERS_PYTHON}")
    return parser.parse_args(arguments)


def _fuzz(fuzzer: Fuzzer, folder: Path, options: argparse.Namespace) -> list[Case]:
    """Made texts first, then real documents until there are enough mutations."""
    cases: list[Case] = []

    def run(extraction: Extraction) -> None:
        lies = fuzzer.run(extraction, options.each)
        cases.extend(_to_case(extraction, lie) for lie in lies)

    for number in range(10):
        run(make_extraction(make_text(options.seed + number)))
    for path in draw_paths(folder, options.seed):
        if fuzzer.mutations >= options.mutations:
            break
        extraction = load_extraction(path)
        if extraction is not None:
            run(extraction)
            done = f"{fuzzer.mutations:,} mutations, {len(fuzzer.false_accepts)} believed"
            print(f"\r{done}, {path.name[:40]:40}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return cases


def _to_case(extraction: Extraction, lie: Mutation) -> Case:
    return Case(
        document=str(extraction.document.doc_hash),
        text=extraction.text.text,
        kind=lie.kind,
        quote=lie.quote,
        mutated=lie.mutated,
    )


def _rows(fuzzer: Fuzzer) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "mutations": tally.mutations,
            "stand_verbatim": tally.stands_verbatim,
            "stand_spaced": tally.stands_spaced,
            "false_accepts": tally.false_accepts,
            "whole_ladder": dict(sorted(tally.statuses.items())),
            "differences": tally.altered,
            "differences_protected": tally.named,
        }
        for kind, tally in fuzzer.tallies.items()
    ]


def _print_rows(rows: list[dict[str, Any]]) -> None:
    print("| changed | mutations | truly stand elsewhere | false accepts |")
    print("|---|---|---|---|")
    for row in rows:
        stand = row["stand_verbatim"] + row["stand_spaced"]
        print(f"| {row['kind']} | {row['mutations']:,} | {stand:,} | {row['false_accepts']:,} |")
    total = {key: sum(row[key] for row in rows) for key in ("mutations", "false_accepts")}
    stand = sum(row["stand_verbatim"] + row["stand_spaced"] for row in rows)
    print(f"| all | {total['mutations']:,} | {stand:,} | {total['false_accepts']:,} |")


def _print_peers(peers: list[dict[str, Any]], sample: int) -> None:
    print(f"\nThe same lies, a sample of {sample:,}, to published quote checkers:")
    print("| checker | lies believed | true quotes believed |")
    print("|---|---|---|")
    for peer in peers:
        if "error" in peer:
            print(f"| {peer['name']} | could not be run: {peer['error']} | |")
            continue
        lies, truths = (
            f"{peer[key]:,} of {peer['asked']:,} ({100 * peer[key] / max(1, peer['asked']):.1f} %)"
            for key in ("lies_believed", "truths_believed")
        )
        print(f"| {peer['name']} {peer['version']}".rstrip() + f" | {lies} | {truths} |")


if __name__ == "__main__":
    raise SystemExit(main())
