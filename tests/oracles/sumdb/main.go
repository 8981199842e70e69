// Judge receipts and logs with golang.org/x/mod/sumdb, the code behind Go's checksum database.
//
//	sumdb -vkeys FILE bundle BUNDLE…
//	sumdb -vkeys FILE proof ENTRY TLOG-PROOF
//	sumdb -vkeys FILE consistency OLD-CHECKPOINT NEW-CHECKPOINT PROOF
//	sumdb -vkeys FILE tiles DIR [OLD-CHECKPOINT…]
//
// The file holds a log's keys, NAME+HASH+KEY, a line each.
//
// One line for each thing that was judged: 'accept', or 'refuse' and the reason. Exit code 0 where
// all were accepted, 1 where one was refused, 2 where the judging could not begin.
//
// This file only reads; signatures, hashes and proofs are the library's.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// height of the tiles: 2**8 hashes, as C2SP tlog-tiles has them.
const height = 8

// entryBundle is how many entries one bundle holds at most.
const entryBundle = 1 << height

type bundle struct {
	VerificationMaterial struct {
		TlogEntries []struct {
			CanonicalizedBody []byte
			InclusionProof    struct {
				LogIndex   int64 `json:",string"`
				Hashes     []tlog.Hash
				Checkpoint struct{ Envelope string }
			}
		}
	}
}

// readKeys reads the keys of the log.
func readKeys(file string) (note.Verifiers, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var keys []note.Verifier
	for _, vkey := range strings.Fields(string(raw)) {
		key, err := note.NewVerifier(vkey)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return note.VerifierList(keys...), nil
}

// openCheckpoint checks the log's signature and reads the checkpoint that it covers.
func openCheckpoint(raw []byte, keys note.Verifiers) (tlog.Tree, error) {
	opened, err := note.Open(raw, keys)
	if err != nil {
		return tlog.Tree{}, err
	}
	// Open has dropped the signatures of unknown keys, and fails where no other is left.
	origin, rest, found := strings.Cut(opened.Text, "\n")
	if !found || origin != opened.Sigs[0].Name {
		return tlog.Tree{}, fmt.Errorf("checkpoint of %q by %q", origin, opened.Sigs[0].Name)
	}
	// The library reads checkpoints of the checksum database, whose first line is this one.
	return tlog.ParseTree([]byte("go.sum database tree\n" + rest))
}

func judgeBundle(file string, keys note.Verifiers) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var read bundle
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	entries := read.VerificationMaterial.TlogEntries
	if len(entries) != 1 {
		return fmt.Errorf("%d log entries", len(entries))
	}
	proof := entries[0].InclusionProof
	tree, err := openCheckpoint([]byte(proof.Checkpoint.Envelope), keys)
	if err != nil {
		return err
	}
	leaf := tlog.RecordHash(entries[0].CanonicalizedBody)
	return tlog.CheckRecord(proof.Hashes, tree.N, tree.Hash, proof.LogIndex, leaf)
}

// judgeProof reads a C2SP tlog-proof: a line of version, the index, hashes, a checkpoint.
func judgeProof(entryFile, file string, keys note.Verifiers) error {
	entry, err := os.ReadFile(entryFile)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, checkpoint, found := bytes.Cut(raw, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("no tlog-proof")
	}
	if strings.HasPrefix(lines[1], "extra ") {
		lines = lines[1:]
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	hashes, err := parseHashes(lines[2:])
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(checkpoint, keys)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(hashes, tree.N, tree.Hash, index, tlog.RecordHash(entry))
}

// judgeConsistency takes the proof as hashes in base64, a line each.
func judgeConsistency(oldFile, newFile, proofFile string, keys note.Verifiers) error {
	var trees [2]tlog.Tree
	for i, file := range []string{oldFile, newFile} {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if trees[i], err = openCheckpoint(raw, keys); err != nil {
			return err
		}
	}
	raw, err := os.ReadFile(proofFile)
	if err != nil {
		return err
	}
	hashes, err := parseHashes(strings.Fields(string(raw)))
	if err != nil {
		return err
	}
	old, new := trees[0], trees[1]
	return tlog.CheckTree(tlog.TreeProof(hashes), new.N, new.Hash, old.N, old.Hash)
}

func parseHashes(lines []string) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(lines))
	for i, line := range lines {
		var err error
		if hashes[i], err = tlog.ParseHash(line); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// folder is a log as files: checkpoint, tile/<L>/<N>[.p/<W>], tile/entries/<N>[.p/<W>].
type folder string

func (f folder) Height() int                     { return height }
func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(tiles))
	for i, tile := range tiles {
		var err error
		if read[i], err = os.ReadFile(f.path(tile)); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// path leaves out the height, which C2SP's paths do not have: tile/8/0/001 is tile/0/001 there.
func (f folder) path(tile tlog.Tile) string {
	return filepath.Join(string(f), "tile", strings.TrimPrefix(tile.Path(), "tile/8/"))
}

// judgeTiles checks every entry against its leaf, the leaves against the root, and that every old
// checkpoint is the beginning of the log.
func judgeTiles(dir string, olds []string, keys note.Verifiers) error {
	raw, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(raw, keys)
	if err != nil {
		return err
	}
	// The reader believes no tile that does not lead to the tree's hash.
	hashes := tlog.TileHashReader(tree, folder(dir))
	for first := int64(0); first < tree.N; first += entryBundle {
		if err := judgeEntries(folder(dir), first, tree.N, hashes); err != nil {
			return err
		}
	}
	for _, file := range olds {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		old, err := openCheckpoint(raw, keys)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash); err != nil {
			return err
		}
	}
	return nil
}

func judgeEntries(f folder, first, size int64, hashes tlog.HashReader) error {
	width := min(entryBundle, size-first)
	tile := tlog.Tile{H: height, L: 0, N: first / entryBundle, W: int(width)}
	path := strings.Replace(f.path(tile), filepath.Join("tile", "0"), filepath.Join("tile", "entries"), 1)
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	indexes := make([]int64, width)
	for i := range indexes {
		indexes[i] = tlog.StoredHashIndex(0, first+int64(i))
	}
	leaves, err := hashes.ReadHashes(indexes)
	if err != nil {
		return err
	}
	for i, leaf := range leaves {
		if len(raw) < 2 || len(raw) < 2+int(raw[0])<<8+int(raw[1]) {
			return fmt.Errorf("entries end before %d", first+int64(i))
		}
		end := 2 + int(raw[0])<<8 + int(raw[1])
		if tlog.RecordHash(raw[2:end]) != leaf {
			return fmt.Errorf("entry %d is not its leaf", first+int64(i))
		}
		raw = raw[end:]
	}
	if len(raw) > 0 {
		return errors.New("entries go on after the last")
	}
	return nil
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func main() {
	file := flag.String("vkeys", "", "the log's keys: NAME+HASH+KEY, a line each")
	flag.Parse()
	keys, err := readKeys(*file)
	if err != nil || flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: sumdb -vkeys FILE bundle|proof|consistency|tiles FILE…", err)
		os.Exit(2)
	}
	refused := false
	report := func(name string, err error) {
		if err == nil {
			fmt.Printf("accept\t%s\n", name)
			return
		}
		refused = true
		fmt.Printf("refuse\t%s\t%s\n", name, strings.Join(strings.Fields(err.Error()), " "))
	}
	verb, args := flag.Arg(0), flag.Args()[1:]
	switch {
	case verb == "bundle":
		for _, file := range args {
			report(file, judgeBundle(file, keys))
		}
	case verb == "proof" && len(args) == 2:
		report(args[1], judgeProof(args[0], args[1], keys))
	case verb == "consistency" && len(args) == 3:
		report(args[2], judgeConsistency(args[0], args[1], args[2], keys))
	case verb == "tiles":
		report(args[0], judgeTiles(args[0], args[1:], keys))
	default:
		fmt.Fprintf(os.Stderr, "no way to judge %q with %d files\n", verb, len(args))
		os.Exit(2)
	}
	if refused {
		os.Exit(1)
	}
}
