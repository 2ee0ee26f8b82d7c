-- KEYS[4] is a call id's. idle ms, same, token, state, content, kept ms, lease
-- ms, again: puts what became of a call where nothing, or that very call, stands.
-- Again: this server knew it once, and what ended its run since stands.
local C = KEYS[4]
if ARGV[8] and call('EXISTS', Z) == 1 then return 0 end
if not alive() then begin(ARGV[1]) end
local born = field('b')
local c = call('HMGET', C, 's', 'b', 'o')
-- A replica runs one call of an id at a time: another token of its own is of a
-- claim whose answer it did not hear.
local function owner(token) return string.match(token or '', '^[^:]*') end
local mine = c[3] and owner(c[3]) == owner(ARGV[3]) and (c[1] == 'R' or c[1] == 'L')
if c[1] and c[2] == born and not mine then return 0 end
call('DEL', C)
call('HSET', C, 's', ARGV[4], 'w', ARGV[2], 'b', born, 'o', ARGV[3], 'r', ARGV[5], 'l', text(now + ARGV[7] * 1000))
call('PEXPIRE', C, ARGV[6] + ARGV[7])
return 1
