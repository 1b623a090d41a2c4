-- Writes once more what a request did, so that to wait for this write is to wait for what it did.
-- KEYS: requests. ARGV: request field, request record. Answers: 1, or 0 if it is not there any more.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
