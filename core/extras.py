"""Which extra brings a package that is not installed: said instead of a traceback."""

from __future__ import annotations

from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.core.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_EXTRA: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "documents": (
            "charset_normalizer",
            *("lxml", "olefile", "oxmsg", "pymupdf", "pypdfium2", "pyseccomp", "unstructured"),
        ),
        "server": (
            *("alembic", "dbos", "fastapi", "fastapi_offline", "fsspec", "httptools", "jinja2"),
            "opentelemetry",
            *("prometheus_client", "psycopg", "pyarrow", "scipy", "sqlalchemy", "sqlmodel"),
            *("starlette", "structlog", "uvicorn", "uvloop"),
        ),
        "torch": ("onnx", "safetensors", "tokenizers", "torch", "transformers"),
        "s3": ("s3fs",),
        "oidc": ("jwt",),
        "openvino": ("openvino",),
        "chroma": ("chromadb",),
        "qdrant": ("qdrant_client",),
        "ray": ("ray",),
        "langchain": ("langchain_core",),
        "llamaindex": ("llama_index",),
        "timestamps": ("rfc3161_client",),
    }
)


def is_installed(extra: str) -> bool:
    """Whether every package of an extra is here; nothing is imported."""
    return all(find_spec(package) is not None for package in _OF_EXTRA[extra])


def need_extra(why: str, *, extra: str) -> ExtraMissingError:
    """The error of a request that needs an extra which is not here."""
    msg = f"Expected the extra {extra!r} ({why}), got an install without it."
    return ExtraMissingError(msg, hint=f"Run: pip install 'spanproof[{extra}]'.")


def find_missing_extra(error: ModuleNotFoundError) -> ExtraMissingError | None:
    """The error that names the extra; None for a module of no extra."""
    package = (error.name or "").partition(".")[0]
    extra = next((name for name, brought in _OF_EXTRA.items() if package in brought), None)
    if extra is None:
        return None
    msg = f"Expected the extra {extra!r}, which brings {package}, got an install without it."
    return ExtraMissingError(msg, hint=f"Run: pip install 'spanproof[{extra}]'.")
