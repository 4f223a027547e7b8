-- group, run
local entry = redis.call('HGET', entries, ARGV[4])
if entry then
  redis.pcall('XACK', stream, ARGV[3], entry)
  redis.call('XDEL', stream, entry)
  redis.call('HDEL', entries, ARGV[4])
end
return {mark, 1}
