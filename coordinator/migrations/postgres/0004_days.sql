-- What a UTC day said of a target, written when its runs are pruned and kept for
-- ever. A day that has a row here is told by it alone.
CREATE TABLE days (
    target_id TEXT COLLATE "C" NOT NULL REFERENCES targets (target_id),
    -- Days since the epoch.
    day BIGINT NOT NULL,
    -- answered, unanswered, not_counted, undetermined; the first cause of the
    -- two in the middle.
    kind TEXT COLLATE "C" NOT NULL,
    cause TEXT COLLATE "C",
    runs BIGINT NOT NULL,
    answered BIGINT NOT NULL,
    signed BIGINT NOT NULL,
    missed BIGINT NOT NULL,
    PRIMARY KEY (target_id, day)
);

-- When a run last brought this body, to within a day. NULL: not known.
ALTER TABLE bodies ADD COLUMN used_at_ms BIGINT;
CREATE INDEX bodies_by_use ON bodies (used_at_ms);
