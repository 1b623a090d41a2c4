-- Registers a bot, or finds that it is registered.
-- KEYS: bot, names, tokens. ARGV: name, token hash in hexadecimal, games.
-- Answers: {"new" | "same", store time in ms of the registration} | {"taken"}
local bot, names, tokens = KEYS[1], KEYS[2], KEYS[3]
local token, games, created, revoked =
  unpack(redis.call('HMGET', bot, 'token', 'games', 'created_ms', 'revoked'))
if token then
  local same = token == ARGV[2] and games == ARGV[3] and not revoked
  return same and {'same', created} or {'taken'}
end
if redis.call('HEXISTS', tokens, ARGV[2]) == 1 then return {'taken'} end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', bot, 'token', ARGV[2], 'games', ARGV[3], 'created_ms', now)
redis.call('HSET', tokens, ARGV[2], ARGV[1])
redis.call('ZADD', names, 0, ARGV[1])
return {'new', now}
