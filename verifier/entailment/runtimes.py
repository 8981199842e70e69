"""Which backend runs a model: one table from the runtime's name to what opens it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.verifier.entailment.backend import Backend
    from spanproof.verifier.entailment.backends.openvino import Form
    from spanproof.verifier.entailment.models.folder import ModelFolder

#: The runtime whose logits decide; every other one is measured against it.
CANONICAL = "onnx"
AUTO = "auto"
REMOTE = "remote"
#: Runtimes of another library, precision or machine than the canonical one's, on the same graph:
#: each is held against it before it judges.
COMPARED = frozenset({"onnx-int8", "openvino", "openvino-bf16", REMOTE})
DEVICES = ("auto", "cpu", "cuda")
#: A file that only a loaded NVIDIA driver puts there.
_NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
#: What the extra ``torch`` installs.
_OF_TORCH = frozenset({"onnx", "safetensors", "torch", "transformers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The arguments to open a backend; each reads those that it needs.

    ``device`` is one of ``DEVICES``, ``url`` the server of a remote runtime, ``cache`` the folder
    for files derived from the weights (None: a temporary folder of the process).
    """

    folder: ModelFolder
    device: str = "auto"
    url: str | None = None
    cache: Path | None = None


@contextmanager
def _torch_extra(folder: ModelFolder) -> Iterator[None]:
    """Say which extra is missing where an import fails for want of it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _OF_TORCH:
            raise
        msg = f"Expected {error.name} to prepare the model {folder.name!r}, got no such package."
        hint = "Install it: pip install 'spanproof[torch]'."
        raise ModelUnavailableError(msg, hint=hint) from error


def _export(folder: ModelFolder, form: str) -> bytes:
    """The graph of a model that does not bring its own along."""
    with _torch_extra(folder):
        # torch and transformers take seconds to import: a graph that is there needs neither.
        from spanproof.verifier.entailment.export.graph import export_graph
    return export_graph(folder, form)


def _open_onnx(request: Request) -> Backend:
    from spanproof.verifier.entailment.backends.onnx import OnnxBackend

    return OnnxBackend.load(request.folder, export=_export, cache=request.cache)


def _open_torch(request: Request) -> Backend:
    with _torch_extra(request.folder):
        from spanproof.verifier.entailment.backends.torch import TorchBackend
    return TorchBackend.load(request.folder, device=request.device)


def _open_int8(request: Request) -> Backend:
    from spanproof.verifier.entailment.backends.quantised import open_quantised

    with _torch_extra(request.folder):
        return open_quantised(request.folder, export=_export, cache=request.cache)


def _open_openvino(request: Request, *, form: Form) -> Backend:
    from spanproof.verifier.entailment.backends.openvino import OpenVinoBackend

    return OpenVinoBackend.load(request.folder, export=_export, cache=request.cache, form=form)


def _open_remote(request: Request) -> Backend:
    from spanproof.verifier.entailment.backends.remote import RemoteBackend

    local = Request(folder=request.folder, device="cpu", cache=request.cache)
    return RemoteBackend.open(
        request.folder, url=request.url, open_local=lambda: RUNTIMES[CANONICAL](local)
    )


#: Each opens its backend or raises ModelUnavailableError.
RUNTIMES: dict[str, Callable[[Request], Backend]] = {
    CANONICAL: _open_onnx,
    "onnx-int8": _open_int8,
    "openvino": partial(_open_openvino, form="fp32"),
    "openvino-bf16": partial(_open_openvino, form="bf16"),
    "torch": _open_torch,
    REMOTE: _open_remote,
}


def open_backend(
    folder: ModelFolder, *, runtime: str, device: str, url: str | None, cache: Path | None
) -> tuple[Backend, Callable[[], Backend] | None]:
    """The chosen backend, and what opens the canonical one where that is another.

    Raises ModelUnavailableError for a runtime or device that is unknown or not here.
    """
    if device not in DEVICES:
        msg = f"Expected device {', '.join(DEVICES)}, got {device!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_DEVICE to auto.")
    chosen = choose_runtime(device, url=url) if runtime == AUTO else runtime
    if runtime == AUTO and device == "auto" and url is None and folder.is_graph_alone:
        chosen = CANONICAL
    if chosen not in RUNTIMES:
        msg = f"Expected a runtime of {', '.join([AUTO, *RUNTIMES])}, got {runtime!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to auto.")
    if url is not None and chosen != REMOTE:
        # A user who names a server expects that it answers.
        msg = f"Expected runtime 'remote' beside SPANPROOF_MODEL_URL, got {chosen!r}."
        raise ModelUnavailableError(msg, hint="Unset SPANPROOF_RUNTIME or SPANPROOF_MODEL_URL.")
    if device == "cuda" and chosen != "torch":
        msg = f"Expected device 'auto' or 'cpu' for runtime {chosen!r}, got {device!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_RUNTIME to torch for a GPU.")
    backend = RUNTIMES[chosen](Request(folder=folder, device=device, url=url, cache=cache))
    if chosen == CANONICAL:
        return backend, None
    canonical = Request(folder=folder, device="cpu", cache=cache)
    return backend, lambda: RUNTIMES[CANONICAL](canonical)


def choose_runtime(device: str, *, url: str | None = None) -> str:
    """What ``auto`` means: a server that is named, torch where it can use a GPU, else canonical."""
    if url is not None:
        return REMOTE
    if device == "cuda":
        return "torch"
    if device == "cpu" or not _has_nvidia_driver():
        return CANONICAL
    # Only beside a driver is torch asked: importing it takes seconds.
    if find_spec("torch") is None:
        return CANONICAL
    from spanproof.verifier.entailment.backends.torch import choose_device

    return "torch" if choose_device("auto") == "cuda" else CANONICAL


def _has_nvidia_driver() -> bool:
    return _NVIDIA_DRIVER.exists() or shutil.which("nvidia-smi") is not None
