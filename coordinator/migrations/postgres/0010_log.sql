-- Where a signed run stands in the signer's log, as the signer proved it.
ALTER TABLE attestations ADD COLUMN log_proof BYTEA;

-- The log as it is served. Every part was proved against a checkpoint before
-- it came here; the checkpoint that is shown is a document.
CREATE TABLE log_entries (
    entry_index BIGINT NOT NULL PRIMARY KEY,
    entry BYTEA NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    envelope_sha256 TEXT COLLATE "C" NOT NULL
);
CREATE INDEX log_entries_by_run ON log_entries (run_id);
CREATE INDEX log_entries_by_envelope ON log_entries (envelope_sha256);

-- The last tile of a level grows until it is whole.
CREATE TABLE log_tiles (
    level BIGINT NOT NULL,
    tile_index BIGINT NOT NULL,
    hashes BYTEA NOT NULL,
    PRIMARY KEY (level, tile_index)
);
