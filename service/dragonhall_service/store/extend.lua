-- Moves a deadline that has passed on, once a version.
-- KEYS: match, live. ARGV: match id, version, ms from now. Answers: 1 if it did, else 0.
local match, live = KEYS[1], KEYS[2]
local version, due, extended = unpack(redis.call('HMGET', match, 'version', 'due', 'extended'))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if version ~= ARGV[2] or extended == ARGV[2] or not due or now < tonumber(due) then return 0 end
local later = string.format('%.0f', now + ARGV[3])
redis.call('HSET', match, 'due', later, 'extended', ARGV[2])
redis.call('ZADD', live, later, ARGV[1])
return 1
