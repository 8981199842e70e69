"""Manifests: the chunks of an index and their documents, as JSON Lines or Parquet.

``docs/reference/chunks.md`` describes the format.
"""

from spanproof.ingest.manifest.reading import count_rows, open_manifest
from spanproof.ingest.manifest.rows import ManifestHeader, ManifestRow
from spanproof.ingest.manifest.writing import write_manifest

__all__ = ["ManifestHeader", "ManifestRow", "count_rows", "open_manifest", "write_manifest"]
