"""The log's part of a pack: its head, every tile below it, the statements, and whom to trust."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.log.tiles import TILE_WIDTH, Tile, list_new_tiles
from spanproof.operations.fsck.pack import LOG_FOLDER, STATEMENT_FOLDER
from spanproof.operations.log.resources import open_reader, read_cosigned_head
from spanproof.receipt.statement.events import ConfigChange, FsckResult, KeyEvent, Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.context import Context
    from spanproof.operations.export.folder import PackFolder
    from spanproof.store.log.reading import LogReader
    from spanproof.store.log.records import StoredStatement

#: Statements about the whole log, which say nothing of anybody's answers.
_COMMON = (ConfigChange.KIND, KeyEvent.KIND, FsckResult.KIND, Shard.KIND)


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The log at the start of the pack."""

    reader: LogReader
    head: Checkpoint
    note: str
    trust: bytes

    @classmethod
    def open(cls, context: Context) -> LogFiles:
        """The own log at its newest signed head; NotFoundError while there is no head."""
        from spanproof.operations.log.key_folder import open_keys
        from spanproof.receipt.keys.trust_file import write_trust

        reader = open_reader(context)
        head, note = read_cosigned_head(context, reader)
        trust = write_trust(open_keys(context.settings).keys.to_trust(reader.origin))
        return cls(reader, head, note, trust)

    @property
    def origin(self) -> str:
        """The log's name."""
        return self.head.origin

    @property
    def size(self) -> int:
        """How many leaves the head covers."""
        return self.head.size

    def to_json(self) -> dict[str, Any]:
        """The head in figures."""
        return {"origin": self.origin, "size": self.size, "root": self.head.root.hex()}

    def write(self, folder: PackFolder, indexes: Sequence[int]) -> None:
        """Write head and tiles, and the statements of these leaves and of the intakes before them.

        The tiles hold hashes only: what other leaves are of is not in the pack.
        """
        folder.write(f"{LOG_FOLDER}/checkpoint", self.note.encode("utf-8"))
        for tile in list_new_tiles(0, self.size):
            folder.write(f"{LOG_FOLDER}/{tile.path}", self.reader.read_tile(tile))
        for index in range(-(-self.size // TILE_WIDTH)):
            width = min(TILE_WIDTH, self.size - index * TILE_WIDTH)
            bundle = Tile(level=None, index=index, width=width)
            folder.write(f"{LOG_FOLDER}/{bundle.path}", self.reader.read_tile(bundle))
        for stored in self._list_statements(indexes):
            folder.write(f"{STATEMENT_FOLDER}/{stored.index}.dsse.json", _to_envelope(stored))

    def _list_statements(self, indexes: Sequence[int]) -> list[StoredStatement]:
        found: dict[int, StoredStatement] = {}
        for index in indexes:
            own = self.reader.find_statement(index)
            # Everything that was ever logged of the same verification: intake, result, tombstone.
            about = () if own is None else self.reader.find_statements(own.statement.subject)
            found |= {each.index: each for each in about}
        found |= {each.index: each for each in self.reader.list_statements(_COMMON)}
        return [found[index] for index in sorted(found) if index < self.size]


def _to_envelope(stored: StoredStatement) -> bytes:
    row = stored.statement
    return canonical_json.dumps(
        {
            "payload": base64.b64encode(row.payload).decode("ascii"),
            "payloadType": row.payload_type,
            "signatures": [{"sig": base64.b64encode(row.signature).decode("ascii")}],
        }
    )
