-- tool, key: uses an offer up
local offered, taken = keys(field('o:' .. ARGV[1])), keys(field('k:' .. ARGV[1]))
local at = index(offered, ARGV[2])
if not at or #taken >= 6 then return 0 end
table.remove(offered, at)
taken[#taken + 1] = ARGV[2]
write('o:' .. ARGV[1], offered)
write('k:' .. ARGV[1], taken)
return 1
