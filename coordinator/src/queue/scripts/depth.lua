-- group. What is in the stream and nobody took.
local pending = redis.pcall('XPENDING', stream, ARGV[3])
local taken = 0
if not pending.err then
  taken = pending[1]
end
return {mark, math.max(redis.call('XLEN', stream) - taken, 0)}
