-- KEYS[4] is the call id's. idle ms, bound (-1: no state), same, fresh, token,
-- lease ms, kept ms. Returns what became of the id, its content, the state. The
-- content of what is lost is x where only a lease ended: its call may still run.
local C = KEYS[4]
local idle, bound, same, fresh, token, lease, kept =
  ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4] == '1', ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local known = arrive(idle, math.max(bound, 0))
local born = field('b')
local function answer(became, content)
  if bound < 0 then return {became, content} end
  return {became, content, known}
end
local function take()
  call('DEL', C)
  call('HSET', C, 's', 'R', 'w', same, 'b', born, 'o', token, 'l', text(now + lease * 1000))
  call('PEXPIRE', C, lease + kept)
  return answer('T', '')
end
local c = call('HMGET', C, 's', 'w', 'b', 'l', 'x')
local became = c[1]
if not became or c[3] ~= born then return take() end -- free, or of a run that has ended
if c[2] ~= same then return answer('O', '') end
if became == 'R' then
  if tonumber(c[4]) > now then return answer('R', '') end
  became, c[5] = 'L', '1' -- whoever ran it is gone
  call('HSET', C, 's', 'L', 'x', '1')
  call('PEXPIRE', C, kept)
end
if fresh then return take() end
if became == 'S' then return answer(became, call('HGET', C, 'r') or '') end
return answer(became, c[5] and 'x' or '')
