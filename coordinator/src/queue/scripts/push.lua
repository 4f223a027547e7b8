-- limit, now, run, target, suite, slot, end
local limit, now, run = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local entry = redis.call('HGET', entries, run)
if entry and #redis.call('XRANGE', stream, entry, entry) > 0 then
  return {mark, 1}
end
if redis.call('XLEN', stream) >= limit then
  -- Room that slots of the past take up is none.
  for _, old in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', 100)) do
    if tonumber(old[2][10]) <= now then
      redis.call('XDEL', stream, old[1])
      redis.call('HDEL', entries, old[2][2])
    end
  end
  if redis.call('XLEN', stream) >= limit then
    return {mark, 0}
  end
end
entry = redis.call('XADD', stream, '*', 'run', run, 'target', ARGV[6],
  'suite', ARGV[7], 'slot', ARGV[8], 'end', ARGV[9])
redis.call('HSET', entries, run, entry)
redis.call('PEXPIRE', stream, ARGV[2])
redis.call('PEXPIRE', entries, ARGV[2])
return {mark, 1}
