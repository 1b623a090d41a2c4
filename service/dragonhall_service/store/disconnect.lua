-- Ends a session of a bot, unless another one has taken over.
-- KEYS: presence. ARGV: session.
if redis.call('HGET', KEYS[1], 'session') == ARGV[1] then redis.call('DEL', KEYS[1]) end
