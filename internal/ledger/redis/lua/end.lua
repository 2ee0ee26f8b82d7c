-- idle ms. What the run was; nothing is left of it but its last sequence.
local all = state(0)
if #all[2] > 0 then
  call('SET', Z, text(math.max(number('q'), now)), 'PX', ARGV[1])
  call('DEL', R, P)
end
return all
