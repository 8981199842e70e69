"""Print the OpenAPI document of the service: ``python scripts/openapi.py > openapi.json``."""

from __future__ import annotations

import json

from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings

if __name__ == "__main__":
    print(json.dumps(create_app(Settings()).openapi(), indent=1))
