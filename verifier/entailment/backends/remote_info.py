"""What a text-embeddings-inference server says of itself at ``/info``, and whether it fits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ModelLabelsError
from spanproof.verifier.entailment.backends.remote_http import refuse
from spanproof.verifier.entailment.encoding.planning import MAX_POSITIONS
from spanproof.verifier.entailment.labels import LabelMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.entailment.models.folder import ModelFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """The served model: ``places`` is the folder's output index of each of the server's labels.

    ``model`` is the model's id there, with its revision where the server knows one; ``batch_size``
    is how many pairs one request may hold.
    """

    version: str
    precision: str
    model: str
    batch_size: int
    places: Mapping[str, int]


def check_info(raw: Any, folder: ModelFolder) -> ServerInfo:  # noqa: ANN401 - what a server sent
    """Read ``/info``; raise ModelUnavailableError unless it serves a model with these labels."""
    if not isinstance(raw, dict):
        refuse("an object at /info", type(raw).__name__)
    kind = raw.get("model_type")
    classifier = kind.get("classifier") if isinstance(kind, dict) else None
    if not isinstance(classifier, dict):
        refuse("a server of a sequence classifier", f"model_type {json.dumps(kind)[:80]}")
    names = _read_names(classifier.get("id2label"))
    room = _read_count(raw, "max_input_length")
    needed = min(MAX_POSITIONS, folder.positions)
    if room < needed:
        refuse(f"a server that takes {needed} tokens", f"max_input_length {room}")
    model, revision = raw.get("model_id"), raw.get("model_sha")
    if not isinstance(model, str) or not model:
        refuse("a model_id", f"{model!r}")
    return ServerInfo(
        version=str(raw.get("version", "unknown")),
        precision=str(raw.get("model_dtype", "unknown")),
        # A model that the server read from a folder has that folder as its id: only its name.
        model=model.rstrip("/").rsplit("/", 1)[-1] + (f"@{revision}" if revision else ""),
        batch_size=_read_count(raw, "max_client_batch_size"),
        places=_find_places(names, folder),
    )


def _read_names(raw: Any) -> dict[int, str]:  # noqa: ANN401 - what a server sent
    try:
        return {int(index): str(name) for index, name in dict(raw).items()}
    except (TypeError, ValueError):
        refuse("id2label at /info", f"{raw!r}")


def _read_count(raw: dict[str, Any], name: str) -> int:
    value = raw.get(name)
    if not isinstance(value, int) or value < 1:
        refuse(f"a positive {name} at /info", f"{value!r}")
    return value


def _find_places(names: dict[int, str], folder: ModelFolder) -> dict[str, int]:
    """The folder's output for each label of the server, by the label's meaning."""
    try:
        meanings = LabelMap.from_names(names).meanings
    except ModelLabelsError:
        # Names that say nothing mean what the folder's label map says, if it is the same model.
        own = json.loads((folder.path / "config.json").read_text(encoding="utf-8")).get("id2label")
        if own is None or _read_names(own) != names:
            raise
        meanings = folder.labels.meanings
    if sorted(meanings) != sorted(folder.labels.meanings) or len(set(names.values())) != len(names):
        refuse(f"a model with the labels {folder.labels.meanings!r}", f"{names!r}")
    return {names[index]: folder.labels.meanings.index(m) for index, m in enumerate(meanings)}
