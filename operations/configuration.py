"""The file of settings, ``spanproof.toml``: read, checked against the known names, and written.

A key is a setting's name in lower case without the prefix. The environment wins over the file.
"""

from __future__ import annotations

import json
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pydantic.fields import FieldInfo

#: Looked for in the current folder, unless ``SPANPROOF_CONFIG`` names another file.
FILE_NAME = "spanproof.toml"
_HEAD = """\
# Settings of Spanproof. Take the '#' away from a line to set it.
# A variable of the environment wins over this file: port is SPANPROOF_PORT there.
# Keep passphrases and addresses with passwords in the environment, not here.
"""
#: What belongs in no file that may be committed.
_SECRET = frozenset({"key_passphrase", "database_url"})
_WIDTH = 96


def read_file(path: Path, known: Collection[str]) -> dict[str, Any]:
    """The settings of a file; raise SettingsError for no TOML, or for a key that is no setting."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"Expected a file of settings, got {str(path)!r} ({error.strerror})."
        raise SettingsError(msg, hint="Check SPANPROOF_CONFIG, or run 'spanproof init'.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"Expected TOML in {str(path)!r}, got an error: {error}."
        raise SettingsError(msg, hint="Compare it with what 'spanproof init' writes.") from error
    refuse_unknown(found, known, where=f" in {path}")
    return found


def refuse_unknown(names: Iterable[str], known: Collection[str], *, where: str = "") -> None:
    """Raise SettingsError for the first name that is no setting, with the nearest that is."""
    unknown = next((name for name in sorted(names) if name not in known), None)
    if unknown is None:
        return
    near = get_close_matches(unknown, list(known), n=1, cutoff=0.5)
    meant = f" Did you mean {near[0]}?" if near else ""
    msg = f"Expected a setting{where}, got {unknown!r}.{meant}"
    raise SettingsError(msg, hint="Correct the name, or take it away; settings.md lists them all.")


def write_template(fields: Mapping[str, FieldInfo]) -> str:
    """Every setting with its description and default, commented out."""
    lines = [_HEAD]
    for name, info in fields.items():
        if name in _SECRET:
            continue
        lines += [f"# {line}" for line in _wrap(info.description or "")]
        lines += [f"# {name} = {_to_toml(info.get_default(call_default_factory=True))}", ""]
    return "\n".join(lines)


def _wrap(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > _WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _to_toml(value: object) -> str:
    """A default as TOML writes it; an empty text stands for none."""
    if value is None:
        return '""'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple | list):
        return json.dumps(list(value))
    if isinstance(value, dict):
        return "{}"
    return json.dumps(str(value) if isinstance(value, Path) else value)
