-- tool, key: lets a taken offer stand again
local offered, taken = keys(field('o:' .. ARGV[1])), keys(field('k:' .. ARGV[1]))
local at = index(taken, ARGV[2])
if not at then return 0 end
table.remove(taken, at)
write('k:' .. ARGV[1], taken)
if not index(offered, ARGV[2]) then
  if #offered == 6 then table.remove(offered, 1) end
  offered[#offered + 1] = ARGV[2]
  write('o:' .. ARGV[1], offered)
end
return 1
