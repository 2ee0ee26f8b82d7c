-- key
local name = 'i:' .. ARGV[1]
local packed = field(name)
if not packed then return '' end
call('HDEL', R, name)
call('HINCRBY', R, 'ki', -1)
return string.match(packed, '^%d+ (.*)$')
