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

-- told is what there is to know of the run: its hash, and what the memories
-- hold, up to bound bytes.
local function told(all, size, bound)
  if size == 0 then return {now, all, {}} end
  if size > bound then return {now, all, false} end
  return {now, all, call('HGETALL', P)}
end

local function sizeOf(all)
  for i = 1, #all, 2 do
    if all[i] == 'y' then return tonumber(all[i + 1]) end
  end
  return 0
end

local function state(bound)
  local all = call('HGETALL', R)
  return told(all, sizeOf(all), bound)
end

-- arrive marks an arrival: whatever changes from now on has a higher sequence.
-- It returns what is known then.
local function arrive(idle, bound)
  local all = call('HGETALL', R)
  if #all == 0 then
    begin(idle)
    return state(bound)
  end
  local size = 0
  for i = 1, #all, 2 do
    local name = all[i]
    if name == 'q' then
      local q = text(math.max(tonumber(all[i + 1]), now))
      call('HSET', R, 'q', q)
      all[i + 1] = q
    elseif name == 'y' then
      size = tonumber(all[i + 1])
    end
  end
  call('PEXPIRE', R, idle)
  if size > 0 then call('PEXPIRE', P, idle) end
  return told(all, size, bound)
end
