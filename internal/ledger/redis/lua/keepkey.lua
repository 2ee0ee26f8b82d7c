-- idle ms, key, idempotency key, again. i:<key> has when and what; ki counts
-- them. Again: this server knew it once, and what ended its run since stands.
if ARGV[4] and call('EXISTS', Z) == 1 then return 0 end
local idle, name, most = ARGV[1], 'i:' .. ARGV[2], 256
if not alive() then begin(idle) end
if not field(name) then
  if number('ki') >= most then
    local all, oldest, first = call('HGETALL', R), nil, nil
    for i = 1, #all, 2 do
      local seq = string.sub(all[i], 1, 2) == 'i:' and tonumber(string.match(all[i + 1], '^%d+'))
      if seq and (not first or seq < first) then oldest, first = all[i], seq end
    end
    if oldest then
      call('HDEL', R, oldest)
      call('HINCRBY', R, 'ki', -1)
    end
  end
  call('HINCRBY', R, 'ki', 1)
end
call('HSET', R, name, text(advance()) .. ' ' .. ARGV[3])
return 1
