-- Columns are BIGINT, DOUBLE PRECISION, TEXT or BYTEA and nothing else, so that
-- the same queries serve SQLite. Times are UTC milliseconds since the epoch. Text
-- is compared byte by byte, as SQLite does it.

CREATE TABLE targets (
    target_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    slug TEXT COLLATE "C" NOT NULL UNIQUE,
    url TEXT COLLATE "C" NOT NULL,
    source BIGINT NOT NULL,
    tier TEXT COLLATE "C" NOT NULL,
    -- JSON array of names, in the order in which they take turns.
    regions TEXT COLLATE "C" NOT NULL,
    added_at_ms BIGINT NOT NULL
);

-- One result a slot: the first wins.
CREATE TABLE runs (
    run_id TEXT COLLATE "C" NOT NULL UNIQUE,
    target_id TEXT COLLATE "C" NOT NULL REFERENCES targets (target_id),
    suite TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    region TEXT COLLATE "C" NOT NULL,
    slot_at_ms BIGINT NOT NULL,
    agent_key_id TEXT COLLATE "C" NOT NULL,
    endpoint_url TEXT COLLATE "C" NOT NULL,
    started_at_ms BIGINT NOT NULL,
    finished_at_ms BIGINT NOT NULL,
    stored_at_ms BIGINT NOT NULL,
    observation_digest TEXT COLLATE "C" NOT NULL,
    -- answered, unanswered, not_counted; the cause of the last two.
    reach TEXT COLLATE "C" NOT NULL,
    reach_cause TEXT COLLATE "C",
    -- pending, full, limited, declined, refused.
    attestation TEXT COLLATE "C" NOT NULL,
    attestation_reason TEXT COLLATE "C",
    attested_at_ms BIGINT,
    key_id TEXT COLLATE "C",
    -- Assertions in each state; of signed runs only.
    failed BIGINT,
    observed_risk BIGINT,
    unverified BIGINT,
    verified BIGINT,
    -- From the predicate, where it states them.
    toolset_fingerprint TEXT COLLATE "C",
    schema_fingerprint TEXT COLLATE "C",
    PRIMARY KEY (target_id, suite, slot, region)
);
CREATE INDEX runs_by_target ON runs (target_id, slot_at_ms);
CREATE INDEX runs_by_day ON runs (target_id, started_at_ms);
CREATE INDEX runs_by_stored ON runs (stored_at_ms);
CREATE INDEX runs_by_region ON runs (region, stored_at_ms);

-- What the agent signed, exactly as it came.
CREATE TABLE observations (
    run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES runs (run_id),
    bytes BYTEA NOT NULL,
    signature BYTEA NOT NULL
);

-- Every body once, however many runs saw it.
CREATE TABLE bodies (
    digest TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    zlib BYTEA NOT NULL
);

-- What the signer answered.
CREATE TABLE attestations (
    run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES runs (run_id),
    predicate TEXT COLLATE "C" NOT NULL,
    detail TEXT COLLATE "C" NOT NULL,
    -- Only of signed runs.
    envelope BYTEA
);

-- Runs that the signer has not answered yet.
CREATE TABLE pending (
    run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES runs (run_id),
    stored_at_ms BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    next_attempt_at_ms BIGINT NOT NULL,
    last_error TEXT COLLATE "C"
);
CREATE INDEX pending_by_time ON pending (next_attempt_at_ms, stored_at_ms);

-- Other results of runs that had one already.
CREATE TABLE conflicts (
    run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (run_id),
    observation_digest TEXT COLLATE "C" NOT NULL,
    agent_key_id TEXT COLLATE "C" NOT NULL,
    bytes BYTEA NOT NULL,
    signature BYTEA NOT NULL,
    received_at_ms BIGINT NOT NULL,
    PRIMARY KEY (run_id, observation_digest)
);

-- Slots that passed without a result, as ranges, and why.
CREATE TABLE missed (
    target_id TEXT COLLATE "C" NOT NULL REFERENCES targets (target_id),
    suite TEXT COLLATE "C" NOT NULL,
    first_slot BIGINT NOT NULL,
    last_slot BIGINT NOT NULL,
    first_at_ms BIGINT NOT NULL,
    last_at_ms BIGINT NOT NULL,
    -- Empty when the range spans several regions.
    region TEXT COLLATE "C" NOT NULL,
    cause TEXT COLLATE "C" NOT NULL,
    recorded_at_ms BIGINT NOT NULL,
    PRIMARY KEY (target_id, suite, first_slot)
);
CREATE INDEX missed_by_time ON missed (target_id, last_at_ms);

-- Hosts that asked us to wait.
CREATE TABLE waits (
    host TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    until_ms BIGINT NOT NULL
);

-- The signer's roster as last fetched, so that results are taken while it is away.
CREATE TABLE agents (
    agent_key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    public_key BYTEA NOT NULL,
    region TEXT COLLATE "C" NOT NULL,
    enrolled_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT NOT NULL
);

-- Single values: the signer's key document, the key of lease tokens.
CREATE TABLE documents (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    body BYTEA NOT NULL,
    fetched_at_ms BIGINT NOT NULL
);
