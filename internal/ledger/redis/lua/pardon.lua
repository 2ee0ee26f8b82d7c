-- tool
if not alive() then return 0 end
local c = count(ARGV[1])
c.n, c.changed = 0, advance()
call('HDEL', R, 'x:' .. ARGV[1])
keep(ARGV[1], c)
return 1
