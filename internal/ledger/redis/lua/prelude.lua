-- What every script begins with. A run lives in one slot:
--   R  hash: its numbers, the counts of its tools, a head for each memory
--   P  hash: what the memories hold, by the key of their call
--   Z  string: the last sequence of a run of that name that was ended
--   C  hash: one call id
-- Moments are microseconds of this server's clock; sequences are moments that
-- never stand still, so that they go on where the data is lost.
local R, P, Z = KEYS[1], KEYS[2], KEYS[3]
local call = redis.call

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(n) return string.format('%.0f', n) end
local function field(name) return call('HGET', R, name) end
local function number(name) return tonumber(call('HGET', R, name) or 0) end
local function alive() return call('EXISTS', R) == 1 end

-- advance numbers a change.
local function advance()
  local q = math.max(number('q') + 1, now)
  call('HSET', R, 'q', text(q))
  return q
end

-- begin makes the run. Nothing of an earlier one of its name is older than it.
local function begin(idle)
  local q = math.max(now, tonumber(call('GET', Z) or 0) + 1)
  call('HSET', R, 'q', text(q), 'b', text(q), 't', text(now)) -- first: a full server refuses this
  call('DEL', P)
  call('PEXPIRE', R, idle)
end

-- arrive marks an arrival: whatever changes from now on has a higher sequence.
local function arrive(idle)
  local q = number('q')
  if q == 0 then
    begin(idle)
    return
  end
  call('HSET', R, 'q', text(math.max(q, now)))
  call('PEXPIRE', R, idle)
  if number('y') > 0 then call('PEXPIRE', P, idle) end
end

-- state is all there is to know of the run; what the memories hold comes along
-- up to bound bytes.
local function state(bound)
  local all = call('HGETALL', R)
  local size = 0
  for i = 1, #all, 2 do
    if all[i] == 'y' then size = tonumber(all[i + 1]) end
  end
  if size == 0 then return {now, all, {}} end
  if size > bound then return {now, all, false} end
  return {now, all, call('HGETALL', P)}
end
