"""The package imports quickly: only a client needs the HTTP library."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import spanproof.client, spanproof.client.errors
assert "httpx" not in sys.modules
from spanproof.client import AsyncClient, Client
assert "httpx" in sys.modules
"""


def test_the_http_library_is_loaded_by_the_first_client() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True)
