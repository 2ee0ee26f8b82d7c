-- KEYS[1] is a call id's. token: drops the content and keeps the fact.
local C = KEYS[1]
local c = redis.call('HMGET', C, 's', 'o')
if c[1] ~= 'S' or c[2] ~= ARGV[1] then return 0 end
redis.call('HSET', C, 's', 'L')
redis.call('HDEL', C, 'r', 'o')
return 1
