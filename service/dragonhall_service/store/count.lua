-- The unfinished matches of one bucket: names of their phases, each with how many there are.
-- KEYS: live. ARGV: what the keys of the bucket's matches begin with.
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf')) do
  local phase = redis.call('HGET', ARGV[1] .. id, 'phase')
  if phase then found[phase] = (found[phase] or 0) + 1 end
end
local told = {}
for phase, count in pairs(found) do
  told[#told + 1] = phase
  told[#told + 1] = count
end
return told
