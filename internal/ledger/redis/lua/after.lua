-- What follows a call, in order. KEYS[4..] are of call ids. Each step is a letter
-- and its arguments:
--   T tool class attempts         a call ended; class -1: in a result
--   F tool at                     the tool succeeded: counts are forgiven
--   U tool reads at               the tool succeeded: memories are forgotten
--   S key token state content kept  the end of a claimed call
--   L key token                   its id is free again
-- `at` is the moment of the success, so that it does not matter how late this
-- comes; 0 is now.
local known = call('HMGET', R, 'b', 'q', 'g', 'w', 'km')
local lives = known[1]
local q, changed, counts, memories = tonumber(known[2] or 0), tonumber(known[3] or 0), tonumber(known[4] or 0), tonumber(known[5] or 0)
local successes = {} -- by tool: the same success comes as F and as U

local function moment(at)
  if at == 0 then return advance() end
  return math.min(at, math.max(q, now))
end

local function succeeded(tool, at)
  at = moment(tonumber(at))
  if successes[tool] then return at end
  successes[tool] = at
  if at > number('s:' .. tool) then call('HSET', R, 's:' .. tool, text(at)) end
  return at
end

local does = {}

function does.T(tool, class, attempts)
  if not lives then return end
  if attempts ~= '0' then call('HINCRBY', R, 'a', attempts) end
  call('HINCRBY', R, class == '-1' and 'r:' .. tool or 'e' .. class, 1)
end

function does.F(tool, at)
  if not lives then return end
  at = succeeded(tool, at)
  if counts == 0 then return end
  local all = call('HGETALL', R)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'c:' then
      local other = string.sub(all[i], 3)
      local own = other == tool
      if own then call('HDEL', R, 'o:' .. other, 'k:' .. other) end
      if own or index(names(field('x:' .. other)), tool) then
        local c = count(other)
        -- a rejection of a call that came after the success stands
        c.n = (c.n > 0 and c.from > at) and 1 or 0
        c.changed = math.max(c.changed, at)
        call('HDEL', R, 'x:' .. other)
        keep(other, c)
      end
    end
  end
end

function does.U(tool, reads, at)
  if not lives then return end
  at = succeeded(tool, at)
  if reads == '0' and at > changed then
    changed = at
    call('HSET', R, 'g', text(at))
  end
  if memories == 0 then return end
  each(function(key, m)
    local curable = m.flag == 'm' and m.class ~= TRANSIENT and m.snap <= at
    if curable and (reads == '0' or m.unblock == tool) then drop(key, m) end
  end)
end

function does.S(at, token, became, content, kept)
  local C = KEYS[tonumber(at)]
  local c = call('HMGET', C, 's', 'o')
  if c[2] ~= token or (c[1] ~= 'R' and c[1] ~= 'L') then return end
  call('HSET', C, 's', became, 'r', content)
  call('PEXPIRE', C, kept)
end

function does.L(at, token)
  local C = KEYS[tonumber(at)]
  local c = call('HMGET', C, 's', 'o')
  if c[2] == token and (c[1] == 'R' or c[1] == 'L') then call('DEL', C) end
end

local takes = {T = 3, F = 2, U = 3, S = 5, L = 2}
local i = 1
while i <= #ARGV do
  local what = ARGV[i]
  does[what](ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5])
  i = i + 1 + takes[what]
end
return 1
