"""Mutants that no test can tell from the code, each with the reason."""

from __future__ import annotations

#: Mutant's name → why nothing that can be observed differs.
EQUIVALENT: dict[str, str] = {
    "spanproof.core.log.tiles:Tile.__post_init__: if not is_possible or self.index < 0 or self.start >"
    " MAX_SIZE: => if not is_possible or self.index < 0 or self.start >= MAX_SIZE:": (
        "a tile starts at a multiple of 256, and MAX_SIZE is odd"
    ),
    "spanproof.core.log.tiles:Tile.__post_init__: is_possible = 0 <= (self.level or 0) <= MAX_LEVEL and"
    " 1 <= self.width <= TILE_WIDTH => is_possible = 0 <= (self.level or 1) <= MAX_LEVEL"
    " and 1 <= self.width <= TILE_WIDTH": "levels 0 and 1 are both within the bounds",
    "spanproof.core.log.tiles:TileReader.__call__: pairs = zip(hashes[::2], hashes[1::2], strict=True)"
    " => pairs = zip(hashes[::2], hashes[1::2], strict=False)": "the count is a power of two",
    "spanproof.receipt.statement.agreement:_check_verdict: length = 0 if text is None else text.code_points"
    " => length = 1 if text is None else text.code_points": (
        "without a text the demand above has raised; the line is for the type checker"
    ),
    "spanproof.core.json_reader.base64_text:decode_base64: content = binascii.a2b_base64(text,"
    " strict_mode=True) => content = binascii.a2b_base64(text, strict_mode=False)": (
        "what a lenient decoder takes besides is spelled otherwise, which the last line refuses"
    ),
    "spanproof.receipt.forms.checkpoint_note:parse_checkpoint: has_room = len(lines) == 4 or"
    " (takes_extensions and len(lines) > 4) => has_room = len(lines) == 4 or"
    " (takes_extensions and len(lines) > 3)": "four lines are enough either way",
    "spanproof.receipt.export.evidence_pack:parse_manifest: path = row['name'].text(most=512) => path ="
    " row['name'].text(most=513)": (
        "a longer path is none that a pack may have, which the next line says"
    ),
    "spanproof.receipt.export.evidence_pack:parse_manifest: if not _HEX.fullmatch(sha256.text(most=64)):"
    " => if not"
    " _HEX.fullmatch(sha256.text(most=65)):": ("what is longer is not 64 digits"),
    "spanproof.receipt.export.evidence_pack:parse_manifest: files[path] = Digest(sha256.text(most=64))"
    " => files[path]"
    " = Digest(sha256.text(most=65))": ("what is longer is not 64 digits"),
    "spanproof.receipt.export.evidence_pack:seal_manifest: envelope = Envelope(payload=manifest, signature=b'')"
    " => envelope = Envelope(payload=manifest, signature=b'XX')": (
        "what is signed of an envelope leaves its signature out"
    ),
    "spanproof.receipt.statement.receipt_id:make_id: number = number & ~(15 << 76) | 7 << 76 => number = number"
    " & ~(14 << 76) | 7 << 76": "the bit that is no longer cleared is set right behind",
    "spanproof.core.json_reader.json_field:Field.fields: if len(self.value) > len(names): => if"
    " len(self.value) >= len(names):": "as many as are named, and each of them is there",
    "spanproof.receipt.keys.key_files:_read_private: content = file.read(MAX_KEY_BYTES + 1) => content ="
    " file.read(MAX_KEY_BYTES + 2)": "only whether there are more is asked",
    "spanproof.receipt.keys.key_files:_read_private: descriptor = os.open(path, os.O_RDONLY |"
    " os.O_CLOEXEC | os.O_NONBLOCK) => descriptor = os.open(path, os.O_RDONLY &"
    " os.O_CLOEXEC | os.O_NONBLOCK)": (
        "Python closes every file that it opens for a program that it starts (PEP 446)"
    ),
    "spanproof.receipt.keys.key_ring:KeyRing._refresh: raw = file.read(MAX_LIST_BYTES + 1) => raw ="
    " file.read(MAX_LIST_BYTES + 2)": "only whether there are more is asked",
    "spanproof.receipt.keys.key_ring:_list_key: listed ="
    " ListedEntryKey(key=EntryKey(private.public_key), file='', valid_for=None) => listed"
    " = ListedEntryKey(key=EntryKey(private.public_key), file='XX', valid_for=None)": (
        "the name is put in its place before anybody sees it"
    ),
    "spanproof.receipt.keys.key_ring:_list_key: listed = ListedLogKey(key=private.verifier, file='',"
    " valid_for=None) => listed = ListedLogKey(key=private.verifier, file='XX',"
    " valid_for=None)": "the name is put in its place before anybody sees it",
    "spanproof.receipt.keys.signing_keys:<module>: key_id: str = field(init=False, compare=False) => key_id: str"
    " = field(init=False, compare=True)": "it is computed from the bytes, which are compared",
    "spanproof.core.json_reader.schema:Mismatch.__init__: super().__init__(expected) => (deleted)": (
        "nobody reads its arguments, and it never leaves the module"
    ),
    "spanproof.core.json_reader.schema:record: name = '' => name = 'XX'": (
        "the loop names a field before one can fail"
    ),
    "spanproof.core.json_reader.schema:table: found, name = ({}, '') => found, name = ({}, 'XX')": (
        "the loop names a field before one can fail"
    ),
    "spanproof.receipt.statement.statement:statement_schema: del _type, predicateType => (deleted)": (
        "it says that the two are not used, and nothing uses them"
    ),
    "spanproof.receipt.check.statements:<module>: FindEnvelope = Callable[[int], 'Envelope | None']"
    " => FindEnvelope = Callable[[int], 'XXEnvelope | NoneXX']": (
        "a type, which nothing reads when it runs"
    ),
    "spanproof.receipt.check.time_bounds:_link: return _Link.UNKNOWN => return None": (
        "it is asked only whether the link is the same or forked"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[1:-1], roots=certificates[-2:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[1:-1], roots=certificates[-0:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[1:], roots=certificates[-1:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[1:-1], roots=certificates[:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[0:-1], roots=certificates[-1:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.timestamp:_find_fault: verifier ="
    " client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) > 1 else"
    " None, intermediates=certificates[1:-1], roots=certificates[-1:], nonce=nonce).build() =>"
    " verifier = client.VerifierBuilder(tsa_certificate=certificates[0] if len(certificates) >"
    " 1 else None, intermediates=certificates[:-1], roots=certificates[-1:],"
    " nonce=nonce).build()": (
        "every certificate that is named goes into one set, in which a chain must end at a root"
    ),
    "spanproof.receipt.check.tree:<module>: complete: list[int] = field(default_factory=lambda:"
    " [0]) => complete: list[int] = field(default_factory=lambda: [1])": (
        "of the level of the leaves nobody asks it"
    ),
    "spanproof.receipt.check.tree:_Check._note_root: rows = [row[:size - first],"
    " *self.open_rows[1:]] => rows = [row[:size - first], *self.open_rows[0:]]": (
        "the row of the leaves is empty until the bundle's own is put there"
    ),
    "spanproof.receipt.check.tree:_Check._note_root: rows = [row[:size - first],"
    " *self.open_rows[1:]] => rows = [row[:size - first], *self.open_rows[:]]": (
        "the row of the leaves is empty until the bundle's own is put there"
    ),
    "spanproof.receipt.check.tree:_list_peaks: width = 1 << (len(row) - at).bit_length() - 1 =>"
    " width = 1 << (len(row) - at).bit_length() + 1": (
        "the root of what remains is that of its subtrees joined"
    ),
    "spanproof.receipt.check.tree:_list_peaks: width = 1 << (len(row) - at).bit_length() - 1 =>"
    " width = 1 << (len(row) - at).bit_length() - 0": (
        "the root of what remains is that of its subtrees joined"
    ),
    "spanproof.receipt.check.tree:_list_peaks: width = 1 << (len(row) - at).bit_length() - 1 =>"
    " width = 2 << (len(row) - at).bit_length() - 1": (
        "the root of what remains is that of its subtrees joined"
    ),
    "spanproof.receipt.check.tree:check_tree: check = _Check(find, visit, sorted({each for each in"
    " sizes if 0 <= each <= size} | {size})) => check = _Check(find, visit, sorted({each for"
    " each in sizes if 0 <= each < size} | {size}))": "the size itself is added in any case",
    "spanproof.store.log.opening:_add_log: session.expunge(row) => (deleted)": (
        "the connection is committed and not the session, so the row stays readable"
    ),
    "spanproof.store.log.opening:to_key: return f'log {log_id}' => return f'XXlog XX{log_id}'": (
        "writers need the same key, whatever it is"
    ),
    "spanproof.store.log.writing:add_receipts: for leaf, receipt in zip(included, receipts, "
    "strict=True): => for leaf, receipt in zip(included, receipts, strict=False):": (
        "one proof is made for each leaf"
    ),
    "spanproof.store.log.mark:HighWaterMark.create: folder = os.open(self.path.parent, "
    "os.O_RDONLY | os.O_CLOEXEC) => folder = os.open(self.path.parent, os.O_RDONLY "
    "& os.O_CLOEXEC)": (
        "Python closes every file that it opens for a program that it starts (PEP 446)"
    ),
    "spanproof.store.log.rows:find_note: return "
    "session.exec(query.order_by(col(CheckpointRow.size).desc()).limit(1)).first() "
    "=> return "
    "session.exec(query.order_by(col(CheckpointRow.size).desc()).limit(2)).first()": (
        "only the first is taken"
    ),
    "spanproof.store.log.writing:_add_leaves: given = [{'log_id': log_id, 'idx': index, "
    "'leaf_hash': leaf_hash, 'entry': leaf.entry} for index, (leaf, leaf_hash) in "
    "enumerate(zip(leaves, hashes, strict=True), start=first)] => given = "
    "[{'log_id': log_id, 'idx': index, 'leaf_hash': leaf_hash, 'entry': "
    "leaf.entry} for index, (leaf, leaf_hash) in enumerate(zip(leaves, hashes, "
    "strict=False), start=first)]": ("one hash is made of each leaf"),
    "spanproof.store.log.failpoints:hit: del point => (deleted)": (
        "nothing is left of it either way"
    ),
    "spanproof.store.log.fsck:_Fsck._check_heads: if tile.level and tile.width < TILE_WIDTH: "
    "=> if tile.level and tile.width <= TILE_WIDTH:": ("a whole tile is wanted anyway"),
    "spanproof.store.log.transparency:TransparencyLog._append: self._include(connection, each, "
    "checkpoint, note, is_alone=len(waiting) == 1) => self._include(connection, "
    "each, checkpoint, note, is_alone=len(waiting) == 0)": (
        "a point to go back to, which who is alone does not need"
    ),
    "spanproof.store.log.reading:LogReader.has_checkpoint: found = rows.list_notes(session, "
    "self._log_id, start - 1, 1) => found = rows.list_notes(session, self._log_id, "
    "start - 1, 2)": ("only the first is looked at"),
    "spanproof.store.log.commit_queue:Queue._take: break => continue": (
        "the leaves of all that follow are counted too, so none of them fits"
    ),
    "spanproof.store.log.mark:HighWaterMark.create: for each in (count + 1, count + 2): => "
    "for each in (count - 1, count + 2):": (
        "both slots say the same, and the other one is the newer"
    ),
    "spanproof.store.log.mark:HighWaterMark.create: for each in (count + 1, count + 2): => "
    "for each in (count + 1, count - 2):": (
        "both slots say the same, and the other one is the newer"
    ),
    "spanproof.store.log.mark:HighWaterMark.create: count = 0 if newest is None else "
    "newest.count => count = 1 if newest is None else newest.count": (
        "a count only tells which slot is newer"
    ),
    "spanproof.store.log.writing:add_freeze: session.flush() => (deleted)": (
        "the next statement of the session flushes it"
    ),
    "spanproof.store.log.writing:add_log: session.flush() => (deleted)": (
        "the second flush writes both, in the order of their foreign key"
    ),
    "spanproof.store.log.rows:read_tile: hashes = "
    "session.exec(query.order_by(col(TileRow.width)).limit(1)).first() => hashes = "
    "session.exec(query.order_by(col(TileRow.width)).limit(2)).first()": (
        "only the first is taken"
    ),
    "spanproof.store.log.transparency:TransparencyLog.__init__: self._frontier = Frontier()"
    " => (deleted)": ("the opening sets it before anybody has the log"),
    "spanproof.store.log.shards:name_successor: name, number = (found[1], int(found[2] or "
    "1)) if found else (label, 1) => name, number = (found[1], int(found[2] or 1)) "
    "if found else (label, 2)": (
        "the pattern matches every label; the line is for the type checker"
    ),
    "spanproof.store.log.shards:name_successor: name, number = (found[1], int(found[2] or "
    "1)) if found else (label, 1) => name, number = (found[1], int(found[2] or 1)) "
    "if found else (label, 0)": (
        "the pattern matches every label; the line is for the type checker"
    ),
    "spanproof.store.log.commit_queue:Queue._join: return () => return None": ("both are empty"),
    "spanproof.store.log.fsck:_Fsck._check_receipts: after = -1 => after = -2": (
        "no index is below 0"
    ),
    "spanproof.store.log.reading:LogReader.checkpoints: after = -1 => after = -2": (
        "no size is below 0"
    ),
    "spanproof.store.log.opening:open_log: if is_signed and (known is None or known.origin "
    "!= origin): => if is_signed or (known is None or known.origin != origin):": (
        "a second look, which tells the same"
    ),
    "spanproof.store.log.fsck:_Fsck.run: self._check_heads(self._read_page(0, 0), 0) => "
    "self._check_heads(self._read_page(1, 0), 0)": (
        "no leaf is in either range, and where it ends says which heads are read"
    ),
    "spanproof.store.log.frontier:Frontier.read: while level == 0 or size >> TILE_HEIGHT * "
    "level: => while level == 1 or size >> TILE_HEIGHT * level:": (
        "a row that is empty or not there yet: the first leaf that needs it makes it"
    ),
    "spanproof.store.log.rows:read_tile: return hashes[:tile.width * HASH_SIZE]"
    " => return hashes[:]": (
        "a batch ends where a tile of the second level grows by one, so each width has "
        "a row of its own"
    ),
    "spanproof.store.log.frontier:Frontier.copy: other._root = self._root => (deleted)": (
        "it is computed when it is asked for"
    ),
    "spanproof.store.log.writing:_RefusedError.__init__: super().__init__(str(error))"
    " => (deleted)": ("nobody sees it: the error that it holds is raised in its place"),
    "spanproof.store.log.reading:<module>: _CHUNK = 1024 => _CHUNK = 1025": (
        "how much is read at once"
    ),
    "spanproof.store.log.writing:add_batch: with _point(connection, is_alone=is_alone or not "
    "submission.leaves): => with _point(connection, is_alone=is_alone and (not "
    "submission.leaves)):": (
        "a point to go back to, which who is alone or writes nothing does not need"
    ),
    "spanproof.store.log.writing:add_batch: is_alone = len(batch) == 1"
    " => is_alone = len(batch) == 0": ("a point to go back to, which who is alone does not need"),
    "spanproof.store.log.transparency:TransparencyLog._include: raise writing.RollbackError "
    "from error => (deleted)": ("every receipt is written before the first is added"),
}
