-- group, limit, milliseconds after which a run that was taken is taken again
local group, limit = ARGV[3], tonumber(ARGV[4])
redis.pcall('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
local taken = {}
local function add(entry)
  local fields = entry[2]
  taken[#taken + 1] = {fields[2], fields[4], fields[6], fields[8], fields[10]}
end
-- One consumer for all: what counts is how long ago a run was taken.
local claimed = redis.call('XAUTOCLAIM', stream, group, 'any', ARGV[5], '0-0', 'COUNT', limit)
for _, entry in ipairs(claimed[2]) do
  add(entry)
end
if #taken < limit then
  local read = redis.call('XREADGROUP', 'GROUP', group, 'any', 'COUNT', limit - #taken,
    'STREAMS', stream, '>')
  if read then
    for _, entry in ipairs(read[1][2]) do
      add(entry)
    end
  end
end
redis.call('PEXPIRE', stream, ARGV[2])
redis.call('PEXPIRE', entries, ARGV[2])
return {mark, taken}
