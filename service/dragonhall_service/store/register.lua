-- Registers a bot, or finds that it is registered.
-- KEYS: bot, names, tokens. ARGV: name, token hash in hexadecimal, games.
-- Answers: {"new" | "same", store time in ms of the registration} | {"taken"}
local bot, names, tokens = KEYS[1], KEYS[2], KEYS[3]
local token, games, created, revoked =
  unpack(redis.call('HMGET', bot, 'token', 'games', 'created_ms', 'revoked'))
if token then
  if token ~= ARGV[2] or games ~= ARGV[3] or revoked then return {'taken'} end
  redis.call('HSET', bot, 'token', token) -- so that who waits for this write waits for the first
  return {'same', created}
end
if redis.call('HEXISTS', tokens, ARGV[2]) == 1 then return {'taken'} end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', bot, 'token', ARGV[2], 'games', ARGV[3], 'created_ms', now)
redis.call('HSET', tokens, ARGV[2], ARGV[1])
redis.call('ZADD', names, 0, ARGV[1])
return {'new', now}
