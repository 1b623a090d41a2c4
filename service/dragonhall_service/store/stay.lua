-- Says that a session of a bot lives.
-- KEYS: presence. ARGV: session, ms since the bot said anything, "newest" if it takes over from any
--       other, "anew" if there was a break, else "", ms until the presence is forgotten.
-- Answers: 1, or 0 if another session has taken over.
local presence = KEYS[1]
local session, since = unpack(redis.call('HMGET', presence, 'session', 'since'))
if session and session ~= ARGV[1] and ARGV[3] ~= 'newest' then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not since or ARGV[3] ~= '' then since = string.format('%.0f', now) end
local heard, stayed = string.format('%.0f', now - ARGV[2]), string.format('%.0f', now)
redis.call('HSET', presence, 'session', ARGV[1], 'since', since, 'heard', heard, 'stayed', stayed)
redis.call('PEXPIRE', presence, ARGV[4])
return 1
