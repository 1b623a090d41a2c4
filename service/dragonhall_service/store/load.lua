-- A match and what a request of its caller did, read at one instant, and the store's time in ms.
-- KEYS: match, requests. ARGV: request field.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return {redis.call('HGETALL', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[1]), now}
