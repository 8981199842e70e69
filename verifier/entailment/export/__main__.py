"""Put a graph into a model folder, so that the model loads without torch."""

from __future__ import annotations

import argparse
from pathlib import Path

from spanproof.verifier.entailment.export.graph import ship_graph


def main() -> None:
    """Export the folder's graph and write ``graph.onnx`` and ``graph.json`` beside its weights."""
    parser = argparse.ArgumentParser(
        prog="python -m spanproof.verifier.entailment.export", description=__doc__
    )
    parser.add_argument("folder", type=Path, help="a model folder with model.safetensors")
    digest = ship_graph(parser.parse_args().folder)
    print(f"graph-{digest}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
