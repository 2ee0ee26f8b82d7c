-- Counts of rejections. c:<tool> is the count, x:<tool> the tools that its
-- errors named, one a line, o:<tool> and k:<tool> the offers that stand and
-- those that were taken, 32 bytes each. w is how many counts there are.
local function count(tool)
  local packed = field('c:' .. tool)
  if not packed then return {n = 0, changed = 0, last = 0, memory = 0, cap = 0, from = 0, version = ''} end
  local n, changed, last, memory, cap, from, version =
    string.match(packed, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  return {
    n = tonumber(n), changed = tonumber(changed), last = tonumber(last), memory = tonumber(memory),
    cap = tonumber(cap), from = tonumber(from), version = version,
  }
end

local function keep(tool, c)
  local packed = string.format('%.0f %.0f %.0f %.0f %.0f %.0f %s', c.n, c.changed, c.last, c.memory, c.cap, c.from, c.version)
  if call('HSET', R, 'c:' .. tool, packed) == 1 then call('HINCRBY', R, 'w', 1) end
end

local function standing(c)
  if c.memory > 0 and now - c.last >= c.memory then return 0 end
  return c.n
end

local function names(list) -- of a string of lines
  local all = {}
  for name in string.gmatch(list or '', '[^\n]+') do all[#all + 1] = name end
  return all
end

local function keys(list) -- of a string of keys
  local all = {}
  for i = 1, #(list or ''), 32 do all[#all + 1] = string.sub(list, i, i + 31) end
  return all
end

local function index(list, wanted)
  for i, one in ipairs(list) do
    if one == wanted then return i end
  end
  return nil
end

local function write(name, list, between)
  if #list == 0 then
    call('HDEL', R, name)
  else
    call('HSET', R, name, table.concat(list, between))
  end
end
