-- A match and what a request of its caller did, read at one instant.
-- KEYS: match, requests. ARGV: request field.
return {redis.call('HGETALL', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[1])}
