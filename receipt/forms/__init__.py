"""The published file formats: signed notes, DSSE envelopes, log entries, log proofs, bundles."""
