-- (tool, key)...
if not alive() then return 0 end
local most, tools = 6, 64
for i = 1, #ARGV, 2 do
  local tool, key = ARGV[i], ARGV[i + 1]
  -- tools that were offered and never called may not pile up
  if field('c:' .. tool) or number('w') < tools then
    if not field('c:' .. tool) then keep(tool, count(tool)) end
    local offered = keys(field('o:' .. tool))
    if not index(keys(field('k:' .. tool)), key) then
      local at = index(offered, key)
      if at then table.remove(offered, at) end
      if #offered == most then table.remove(offered, 1) end
      offered[#offered + 1] = key
      write('o:' .. tool, offered)
    end
  end
end
return 1
