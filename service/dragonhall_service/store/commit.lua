-- The one way to change a match. All keys lie in one slot.
-- KEYS: match, log, requests, live, bell channel
-- ARGV: 1 request field, 2 fingerprint, 3 version before, 4 request record's tail (last version),
--       5 expiry of a finished match in ms (0: it goes on), 6 match id, 7 live score,
--       8 number of entries, 9 number of record fields (names and values),
--       then the record's names and values,
--       then for each entry: number of names and values, names and values.
-- Answers: {"repeated", record} | {"conflict", version} | {"applied", store time in ms}
local match, log, requests, live, bell = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local earlier = redis.call('HGET', requests, ARGV[1])
if earlier then return {'repeated', earlier} end

local before = tonumber(ARGV[3])
local current = tonumber(redis.call('HGET', match, 'version') or '0')
if current ~= before then return {'conflict', current} end

local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
local at = 10
local function take(count)
  local taken = {}
  for i = at, at + count - 1 do taken[#taken + 1] = ARGV[i] end
  at = at + count
  return taken
end

redis.call('HSET', match, unpack(take(tonumber(ARGV[9]))))
if before == 0 then redis.call('HSET', match, 'created_ms', now) end
for i = 1, tonumber(ARGV[8]) do
  local count = tonumber(ARGV[at])
  at = at + 1
  redis.call('XADD', log, '0-' .. string.format('%d', before + i), 'ms', now, unpack(take(count)))
end
redis.call('HSET', requests, ARGV[1], ARGV[4] .. ':' .. ARGV[2])
if ARGV[5] == '0' then
  redis.call('ZADD', live, ARGV[7], ARGV[6])
else
  redis.call('ZREM', live, ARGV[6])
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
end
redis.call('SPUBLISH', bell, ARGV[6])
return {'applied', now}
