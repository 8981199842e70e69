from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    CalibrationNotFoundError,
    ConflictError,
    InputError,
    ModelUnavailableError,
)
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.calibration.store import (
    NamedCalibration,
    check_name,
    place_of,
    read_calibration,
    write_calibration,
)

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS, OTHERS = Digest.of(b"weights"), Digest.of(b"others")
CONTENT: dict[str, Any] = {
    "name": "acme",
    "scale": 0.5,
    "bias": 0.1,
    "threshold": 0.6,
    "thresholds": {"balanced": 0.6, "strict": None},
    "weights": {"uncovered_words": 0.5},
    "weights_sha256": WEIGHTS.hex,
    "rows": {"all": 240},
    "date": "2026-11-20",
}


def write(folder: Path, weights: Digest = WEIGHTS, **given: Any) -> Path:
    path = place_of(folder, weights, "acme")
    write_calibration(path, CONTENT | {"weights_sha256": weights.hex} | given)
    return path


def test_a_named_calibration_is_read_in_place_of_the_models_own(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert path == tmp_path / WEIGHTS.hex / "acme.json"
    chosen = NamedCalibration(folder=tmp_path, name="acme").choose(Calibration(), WEIGHTS)
    assert chosen == read_calibration(path)
    assert (chosen.scale, dict(chosen.thresholds)) == (0.5, {"balanced": 0.6, "strict": None})
    assert str(chosen).startswith("acme@sha256:")


def test_one_for_other_weights_is_named_and_not_applied(tmp_path: Path) -> None:
    write(tmp_path, OTHERS)
    own = Calibration(name="own", scale=0.7)
    chosen = NamedCalibration(folder=tmp_path, name="acme").choose(own, WEIGHTS)
    assert (chosen.name, chosen.scale) == ("own", 0.7)
    assert chosen.record is not None
    assert chosen.record.name == "acme"
    assert chosen.record.weights_sha256 == OTHERS.hex


def test_one_moved_below_other_weights_is_not_applied_either(tmp_path: Path) -> None:
    path = write(tmp_path, OTHERS)
    (tmp_path / WEIGHTS.hex).mkdir()
    path.rename(tmp_path / WEIGHTS.hex / path.name)
    chosen = NamedCalibration(folder=tmp_path, name="acme").choose(Calibration(), WEIGHTS)
    assert (chosen.name, chosen.scale, chosen.threshold) == ("none", 1.0, 0.5)


def test_a_name_that_nothing_bears_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CalibrationNotFoundError, match="acme"):
        NamedCalibration(folder=tmp_path, name="acme").choose(Calibration(), WEIGHTS)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "A", "none", "x" * 65, ".hidden"])
def test_a_name_is_a_files_name_and_no_path(name: str) -> None:
    with pytest.raises(InputError, match="name"):
        check_name(name)


def test_a_calibration_is_never_written_over(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = path.read_bytes()
    with pytest.raises(ConflictError, match="taken"):
        place_of(tmp_path, WEIGHTS, "acme")
    with pytest.raises(ConflictError, match="taken"):
        write_calibration(path, CONTENT | {"bias": 0.9})
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["acme.json"]


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    path = place_of(tmp_path, WEIGHTS, "acme")
    with pytest.raises(ModelUnavailableError):
        write_calibration(path, CONTENT | {"scale": float("nan")})
    assert not path.parent.exists()


def test_the_digest_is_of_the_content(tmp_path: Path) -> None:
    first = read_calibration(write(tmp_path))
    path = tmp_path / "copy.json"
    path.write_text(json.dumps(CONTENT, indent=4))
    assert read_calibration(path) == first
    path.write_text(json.dumps(CONTENT | {"bias": 0.11}))
    other = read_calibration(path)
    assert first.record is not None
    assert other.record is not None
    assert other.record.digest != first.record.digest


@pytest.mark.parametrize("content", ["", "[]", "{", '{"name": "x"}'])
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ModelUnavailableError):
        read_calibration(path)
