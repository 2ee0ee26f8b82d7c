-- tool, version, cap, memory µs, snapshot, unblock, offered. Returns the count.
local tool, version, cap, memory, arrived, unblock, offered =
  ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7] == '1'
if not alive() then return 0 end -- it ended while the call was in flight
local c = count(tool)
if c.version ~= version then
  if c.n > 0 and c.changed > arrived then return 0 end -- the count is of a newer tool than this call's
  c.version, c.n = version, 0
  call('HDEL', R, 'x:' .. tool)
end
c.cap, c.memory = cap, memory
if standing(c) < c.n then -- age has forgotten them
  c.n = 0
  call('HDEL', R, 'x:' .. tool)
end
if unblock ~= '' then
  local named = names(field('x:' .. tool))
  if not index(named, unblock) then
    if #named == 8 then table.remove(named, 1) end
    named[#named + 1] = unblock
    write('x:' .. tool, named, '\n')
  end
end
local against = math.max(number('b'), c.changed, number('s:' .. tool))
if unblock ~= '' then against = math.max(against, number('s:' .. unblock)) end
if offered then -- never counts
elseif against <= arrived then
  c.changed, c.last, c.from = advance(), now, arrived
  c.n = c.n + 1
elseif c.n > 0 then
  c.last = now -- still being rejected, in the same wave
end
keep(tool, c)
return c.n
