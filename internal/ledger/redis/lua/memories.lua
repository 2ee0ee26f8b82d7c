-- Memories of calls. m:<key> is a memory's head, P has what it holds. km and ku
-- count the ordinary ones and the unknown outcomes, y the bytes in P. The flag
-- is m: a memory, u: an unknown outcome, e: an erasure.
local TRANSIENT = 1

local function parse(packed)
  if not packed then return nil end
  local seq, till, ttl, snap, size, class, flag, unblock, tool =
    string.match(packed, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a)\n([^\n]*)\n(.*)$')
  return {
    seq = tonumber(seq), till = tonumber(till), ttl = tonumber(ttl), snap = tonumber(snap),
    size = tonumber(size), class = tonumber(class), flag = flag, unblock = unblock, tool = tool,
  }
end

local function head(key) return parse(field('m:' .. key)) end

local function kind(flag)
  if flag == 'u' then return 'ku' end
  return 'km'
end

local function drop(key, m)
  call('HDEL', R, 'm:' .. key)
  call('HINCRBY', R, kind(m.flag), -1)
  if m.size > 0 then
    call('HDEL', P, key)
    call('HINCRBY', R, 'y', -m.size)
  end
end

-- each visits every head.
local function each(visit)
  local all = call('HGETALL', R)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'm:' then visit(string.sub(all[i], 3), parse(all[i + 1])) end
  end
end

local function holds(m) return m.flag == 'u' or (m.flag == 'm' and m.till > now) end

-- room keeps a run within its bounds: what no longer answers goes first, then
-- what was made first; unknown outcomes make room for their like alone.
local function room(flag, most)
  if number(kind(flag)) < most then return end
  local victim, worst
  each(function(key, m)
    if kind(m.flag) ~= kind(flag) then return end
    if not worst or (holds(worst) and not holds(m)) or (holds(worst) == holds(m) and m.seq < worst.seq) then
      victim, worst = key, m
    end
  end)
  if victim then drop(victim, worst) end
end

-- place puts a memory where it belongs, in place of an older one.
local function place(key, m, payload)
  local old = head(key)
  if old then drop(key, old) end
  room(m.flag, m.flag == 'u' and 1024 or 256)
  m.seq = advance()
  call('HSET', R, 'm:' .. key, string.format('%.0f %.0f %.0f %.0f %.0f %.0f %s\n%s\n%s',
    m.seq, m.till, m.ttl, m.snap, #payload, m.class, m.flag, m.unblock, m.tool))
  call('HINCRBY', R, kind(m.flag), 1)
  if #payload > 0 then
    call('HSET', P, key, payload)
    call('PEXPIRE', P, math.max(call('PTTL', R), 1))
    call('HINCRBY', R, 'y', #payload)
  end
  return m.seq
end
