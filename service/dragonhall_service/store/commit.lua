-- The one way to change a match. All keys lie in one slot; nothing is written before every check.
-- KEYS: match, log, requests, live
-- ARGV: 1 request field, 2 request record, 3 version and 4 tag before (0 and "": it is new),
--       5 ms until a finished match expires (0: it goes on), 6 match id, 7 number of entries,
--       8 window: "any", or "before" or "from" the running deadline,
--       9 ms of the next deadline ("": the running one runs on), 10 seat charged, 11 seat that
--       begins to think (10, 11: "" for none),
--       12 number of record names and values, then those,
--       then for each entry the number of its names and values, and those,
--       at last the bell channel: as a key it would be missing, and a slot on the move refuses that.
-- Answers: {"repeated", record} | {"conflict", version} | {"missed"}
--        | {"applied", phase before ("": none), store time in ms, since, due, banks}; the last three
--          "" if it is over.
local match, log, requests, live = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local earlier = redis.call('HGET', requests, ARGV[1])
if earlier then return {'repeated', earlier} end

local before = tonumber(ARGV[3])
local version, tag, phase, since, due, banks =
  unpack(redis.call('HMGET', match, 'version', 'tag', 'phase', 'since', 'due', 'banks'))
local current = tonumber(version or '0')
-- Of two histories that reach one version, as after a failover, the tag tells which it is.
if current ~= before or (tag or '') ~= ARGV[4] then return {'conflict', current} end
phase, since, due, banks = phase or '', since or '', due or '', banks or ''

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local deadline = tonumber(due)
if ARGV[8] == 'before' and deadline and now >= deadline then return {'missed'} end
if ARGV[8] == 'from' and not (deadline and now >= deadline) then return {'missed'} end

local function text(number) return string.format('%.0f', number) end

local at = 12
local function take()
  local count = tonumber(ARGV[at])
  local first = at + 1
  at = first + count
  return unpack(ARGV, first, at - 1)
end

redis.call('HSET', match, take())
if before == 0 then
  redis.call('HSET', match, 'created_ms', text(now))
  banks = redis.call('HGET', match, 'banks') or ''
end

-- Seats are counted from 0, Lua's lists from 1.
if ARGV[5] ~= '0' then
  redis.call('HDEL', match, 'since', 'due')
  since, due, banks = '', '', ''
elseif ARGV[9] ~= '' then
  local allowance, left = tonumber(ARGV[9]), {}
  for bank in string.gmatch(banks, '%d+') do left[#left + 1] = tonumber(bank) end
  local charged = ARGV[10] ~= '' and ARGV[10] + 1
  if charged and left[charged] then
    local over = math.max(0, now - tonumber(since) - allowance)
    left[charged] = math.max(0, left[charged] - over)
  end
  local next = ARGV[11] ~= '' and left[ARGV[11] + 1] or 0
  for seat, bank in ipairs(left) do left[seat] = text(bank) end
  since, due, banks = text(now), text(now + allowance + next), table.concat(left, ',')
  redis.call('HSET', match, 'since', since, 'due', due, 'banks', banks)
end

local entries = tonumber(ARGV[7])
for i = 1, entries do
  local id = '0-' .. text(before + i)
  if i == entries and due ~= '' then
    redis.call('XADD', log, id, 'ms', text(now), 'since', since, 'due', due, 'banks', banks, take())
  else
    redis.call('XADD', log, id, 'ms', text(now), take())
  end
end
redis.call('HSET', requests, ARGV[1], ARGV[2])
if ARGV[5] == '0' then
  redis.call('ZADD', live, due, ARGV[6])
else
  redis.call('ZREM', live, ARGV[6])
  redis.call('PEXPIRE', match, ARGV[5])
  redis.call('PEXPIRE', log, ARGV[5])
  redis.call('PEXPIRE', requests, ARGV[5])
end
redis.call('SPUBLISH', ARGV[#ARGV], ARGV[6] .. ' ' .. text(before + entries))
return {'applied', phase, text(now), since, due, banks}
