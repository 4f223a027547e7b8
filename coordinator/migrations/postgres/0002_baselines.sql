-- Approvals, appended and never changed. Of a target's approvals the one with
-- the highest sequence is in force; approving an older run again is the undo.
CREATE TABLE baselines (
    target_id TEXT COLLATE "C" NOT NULL REFERENCES targets (target_id),
    sequence BIGINT NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (run_id),
    approved_at_ms BIGINT NOT NULL,
    approved_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (target_id, sequence)
);
