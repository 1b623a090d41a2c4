-- Withdraws a bot. KEYS: bot, tokens. ARGV: token hash in hexadecimal.
redis.call('HSET', KEYS[1], 'revoked', '1')
redis.call('HDEL', KEYS[2], ARGV[1])
