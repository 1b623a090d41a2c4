-- The one way to change a match. All keys lie in one slot; nothing is written before every check.
-- KEYS: match, log, requests, live, bell channel
-- ARGV: 1 request field, 2 request record, 3 version before, 4 ms until a finished match expires
--       (0: it goes on), 5 match id, 6 score in the live set, 7 number of entries,
--       8 number of record names and values, then those,
--       then for each entry the number of its names and values, and those.
-- Answers: {"repeated", record} | {"conflict", version} | {"applied", store time in ms}
local match, log, requests, live, bell = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local earlier = redis.call('HGET', requests, ARGV[1])
if earlier then return {'repeated', earlier} end

local before = tonumber(ARGV[3])
local current = tonumber(redis.call('HGET', match, 'version') or '0')
if current ~= before then return {'conflict', current} end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local at = 8
local function take()
  local count = tonumber(ARGV[at])
  local first = at + 1
  at = first + count
  return unpack(ARGV, first, at - 1)
end

redis.call('HSET', match, take())
if before == 0 then redis.call('HSET', match, 'created_ms', now) end
for i = 1, tonumber(ARGV[7]) do
  redis.call('XADD', log, '0-' .. string.format('%.0f', before + i), 'ms', now, take())
end
redis.call('HSET', requests, ARGV[1], ARGV[2])
if ARGV[4] == '0' then
  redis.call('ZADD', live, ARGV[6], ARGV[5])
else
  redis.call('ZREM', live, ARGV[5])
  redis.call('PEXPIRE', match, ARGV[4])
  redis.call('PEXPIRE', log, ARGV[4])
  redis.call('PEXPIRE', requests, ARGV[4])
end
redis.call('SPUBLISH', bell, ARGV[5])
return {'applied', now}
