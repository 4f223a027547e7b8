-- KEYS: stream, hash of run to entry, mark. ARGV: a fresh mark, lifetime in
-- milliseconds, then what each script names. The mark is new whenever Redis lost
-- what it held.
local stream, entries = KEYS[1], KEYS[2]
local mark = redis.call('GET', KEYS[3]) or ARGV[1]
redis.call('SET', KEYS[3], mark, 'PX', ARGV[2])
