-- KEYS[1] is the list of replicas. owner, ms until it is forgotten. Returns how
-- many there are.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[2] * 1000))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local all = redis.call('HGETALL', KEYS[1])
local here = 0
for i = 1, #all, 2 do
  if tonumber(all[i + 1]) <= now then
    redis.call('HDEL', KEYS[1], all[i])
  else
    here = here + 1
  end
end
return here
