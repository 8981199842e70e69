"""A local Hugging Face model folder: which files must be there, their digests, labels, calibration.

Nothing here needs torch: a folder is refused before anything of it is loaded.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import ModelLabelsError, ModelUnavailableError
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.labels import LabelMap

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.verifier.entailment.calibration.store import NamedCalibration

WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
#: What is assumed of a config that names no number of positions.
UNKNOWN_POSITIONS = 512
#: Position embeddings of these families start after the padding id.
_OFFSET_POSITIONS = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm"}
    | {"mpnet", "longformer", "data2vec-text", "xmod"}
)
#: Families without token types, even if their tokenizers number them.
_NO_TYPES = frozenset({"distilbert", "modernbert", "mpnet"})
#: The ``model_type`` of a folder whose graph is all that computes it: no library has its code.
GRAPH_ALONE = "graph"
_PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pkl")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A folder that may be loaded, and what identifies it."""

    path: Path
    name: str
    weights_digest: Digest
    config_digest: Digest
    labels: LabelMap
    calibration: Calibration
    model_type: str
    positions: int
    #: Whether the model tells premise and claim apart by token types.
    has_token_types: bool = True
    #: ISO 639-1 codes that its card declares; empty where it declares none.
    languages: tuple[str, ...] = ()
    #: Its own calibration, where ``calibration`` is another that was chosen in its place.
    replaced: Calibration | None = None

    @property
    def own_calibration(self) -> Calibration:
        """The calibration that came with the folder."""
        return self.replaced or self.calibration

    @property
    def is_graph_alone(self) -> bool:
        """Whether the graph that it brings along is all that can compute it."""
        return self.model_type == GRAPH_ALONE

    def choose(self, calibration: NamedCalibration) -> ModelFolder:
        """The same folder under another calibration; CalibrationNotFoundError without it."""
        own = self.own_calibration
        chosen = calibration.choose(own, self.weights_digest)
        return replace(self, calibration=chosen, replaced=own)


def check_folder(path: Path) -> ModelFolder:
    """Read what identifies the model; raise ModelUnavailableError or ModelLabelsError."""
    if not path.is_dir():
        msg = f"Expected a model folder, got {str(path)!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_MODEL to a local model folder.")
    weights_digest = _digest_weights(path)
    config = _read_object(path / "config.json")
    card = _read_object(path / "model_card.json", default={})
    expected = card.get("weights_sha256", weights_digest.hex)
    if expected != weights_digest.hex:
        msg = f"Expected weights with SHA-256 {expected!r}, got {weights_digest.hex!r}."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.")
    return ModelFolder(
        path=path,
        name=str(card.get("name") or path.resolve().name),
        weights_digest=weights_digest,
        config_digest=_digest_file(path / "config.json"),
        labels=_read_labels(path, config),
        calibration=_read_calibration(path).for_weights(weights_digest),
        model_type=str(config.get("model_type", "")),
        positions=_count_positions(config),
        has_token_types=_has_token_types(path, config),
        languages=_to_languages(card),
    )


def find_weights(path: Path) -> list[Path]:
    """The folder's weights: one file, or the shards that its index names, sorted.

    Raises ModelUnavailableError where there are none, where one is missing or they are pickled.
    """
    if (path / WEIGHTS).is_file():
        return [path / WEIGHTS]
    if (path / SHARDS).is_file():
        index = _read_object(path / SHARDS)
        names = sorted({str(name) for name in dict(index.get("weight_map", {})).values()})
        missing = [name for name in names if not (path / name).is_file()]
        if names and not missing:
            return [path / name for name in names]
        msg = f"Expected every shard that {SHARDS} names, got none of {missing!r}."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.")
    pickled = [name for name in _PICKLED if (path / name).exists()]
    if pickled:
        # Unpickling runs any code that the file holds.
        msg = f"Expected {WEIGHTS}, got pickled weights only: {pickled!r}."
        raise ModelUnavailableError(
            msg, hint="Convert the weights to safetensors where you trust them."
        )
    msg = f"Expected {WEIGHTS} in {str(path)!r}, got no weights."
    raise ModelUnavailableError(msg, hint="Set SPANPROOF_MODEL to a folder with the weights.")


def _digest_weights(path: Path) -> Digest:
    """SHA-256 of the one weights file, or of JCS([[file, hex], …]) where they are sharded."""
    files = find_weights(path)
    if files == [path / WEIGHTS]:
        return _digest_file(path / WEIGHTS)
    return canonical_json.digest([[file.name, _digest_file(file).hex] for file in files])


def _digest_file(path: Path) -> Digest:
    try:
        with path.open("rb") as stream:
            return Digest(hashlib.file_digest(stream, "sha256").hexdigest())
    except OSError as error:
        msg = f"Expected to read {str(path)!r}, got {error.strerror!r}."
        raise ModelUnavailableError(msg, hint="Make the model folder readable.") from error


def _read_object(path: Path, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
    if default is not None and not path.exists():
        return default
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"Expected a JSON object in {path.name!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.") from error
    if not isinstance(value, dict):
        msg = f"Expected a JSON object in {path.name!r}, got {type(value).__name__}."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.")
    return value


def _count_positions(config: dict[str, Any]) -> int:
    """How many tokens a pair may have; position embeddings of some families start late."""
    try:
        positions = int(config.get("max_position_embeddings") or UNKNOWN_POSITIONS)
        if config.get("model_type") in _OFFSET_POSITIONS:
            positions -= int(config.get("pad_token_id", 1)) + 1
    except (TypeError, ValueError) as error:
        msg = f"Expected whole numbers of positions in 'config.json', got {error!s}."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.") from error
    if positions <= 0:
        msg = f"Expected room for tokens in 'config.json', got {positions} positions."
        raise ModelUnavailableError(msg, hint="Fetch the model folder again, whole.")
    return positions


def _has_token_types(path: Path, config: dict[str, Any]) -> bool:
    """Whether claims get another token type, as the folder's own tokenizer settings have it.

    A tokenizer may number the types although its model has one embedding for them, or was trained
    without: RoBERTa's and many re-saved ones.
    """
    declared = _read_object(path / "tokenizer_config.json", default={}).get("model_input_names")
    if isinstance(declared, list):
        return "token_type_ids" in declared
    return config.get("type_vocab_size") != 1 and config.get("model_type") not in _NO_TYPES


def read_languages(path: Path) -> tuple[str, ...]:
    """The ISO 639-1 codes that the folder's card declares, sorted; may be empty."""
    return _to_languages(_read_object(path / "model_card.json", default={}))


def _to_languages(card: dict[str, Any]) -> tuple[str, ...]:
    declared = card.get("languages", [])
    if isinstance(declared, list) and all(isinstance(code, str) for code in declared):
        return tuple(sorted({code.lower().partition("-")[0] for code in declared}))
    msg = f"Expected 'languages' of 'model_card.json' as a list of codes, got {declared!r}."
    raise ModelUnavailableError(msg, hint='Write ISO 639-1 codes, like ["en"].')


def _read_labels(path: Path, config: dict[str, Any]) -> LabelMap:
    given = _read_object(path / "label_map.json", default={}) or config.get("id2label")
    try:
        names = {int(index): str(name) for index, name in dict(given or {}).items()}
    except (TypeError, ValueError) as error:
        msg = f"Expected label names by output index, got {given!r}."
        raise ModelLabelsError(msg, hint="Fix label_map.json or config.json's id2label.") from error
    return LabelMap.from_names(names)


def _read_calibration(path: Path) -> Calibration:
    raw = _read_object(path / "calibration.json", default={})
    if not raw:
        return Calibration()
    return Calibration.from_json(raw)
