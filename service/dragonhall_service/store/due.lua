-- Unfinished matches whose deadline has passed, by the store's clock.
-- KEYS: sets of unfinished matches. ARGV: at most so many of each, at least so many ms ago.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2])
local found = {}
for _, live in ipairs(KEYS) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', live, '-inf', now, 'LIMIT', 0, ARGV[1])) do
    found[#found + 1] = id
  end
end
return found
