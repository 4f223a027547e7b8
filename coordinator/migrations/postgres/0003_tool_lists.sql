-- Complete tool lists of signed runs, and what is read from them often. All of
-- it follows from the runs, in whatever order they are attested.

ALTER TABLE runs ADD COLUMN definition_fingerprint TEXT COLLATE "C";
CREATE INDEX runs_by_list ON runs (target_id, started_at_ms, run_id, definition_fingerprint);

-- Every list once, however many runs saw it: the canonical text that the
-- fingerprint is taken over. One that was too long is not here.
CREATE TABLE tool_lists (
    fingerprint TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    zlib BYTEA NOT NULL
);

-- Which lists were seen on which UTC day, in days since the epoch, so that a
-- directory need not go through all runs.
CREATE TABLE listed_days (
    target_id TEXT COLLATE "C" NOT NULL REFERENCES targets (target_id),
    day BIGINT NOT NULL,
    fingerprint TEXT COLLATE "C" NOT NULL,
    last_at_ms BIGINT NOT NULL,
    PRIMARY KEY (target_id, day, fingerprint)
);

-- Tool names of the newest complete list, one a line, for the search: as sent,
-- and in lower case.
CREATE TABLE current_tools (
    target_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES targets (target_id),
    run_id TEXT COLLATE "C" NOT NULL,
    at_ms BIGINT NOT NULL,
    names TEXT COLLATE "C" NOT NULL,
    folded TEXT COLLATE "C" NOT NULL
);
