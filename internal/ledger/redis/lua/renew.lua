-- KEYS[1] is a call id's. token, lease ms, kept ms. A call that outlived its
-- lease and is still running takes its id back.
local C = KEYS[1]
local c = redis.call('HMGET', C, 's', 'o')
if c[2] ~= ARGV[1] or (c[1] ~= 'R' and c[1] ~= 'L') then return 0 end
local time = redis.call('TIME')
local till = time[1] * 1000000 + time[2] + ARGV[2] * 1000
redis.call('HSET', C, 's', 'R', 'l', string.format('%.0f', till))
redis.call('HDEL', C, 'x')
redis.call('PEXPIRE', C, ARGV[2] + ARGV[3])
return 1
