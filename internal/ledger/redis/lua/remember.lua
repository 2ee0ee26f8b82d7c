-- idle ms, key, snapshot, flag, class, left µs, ttl µs, unblock, tool, payload,
-- again. Returns the sequence; 0: not kept. Again: this server knew it once, and
-- what ended its run since stands.
if ARGV[11] and call('EXISTS', Z) == 1 then return 0 end
local idle, key, arrived, flag, class = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local m = {
  till = math.max(now + tonumber(ARGV[6]), 0), ttl = tonumber(ARGV[7]), snap = arrived,
  class = class, flag = flag, unblock = ARGV[8], tool = ARGV[9],
}
if not alive() then
  -- The doubt outlives the run rather than the other way round: the write may
  -- be sent again.
  if flag ~= 'u' then return 0 end
  begin(idle)
end
if flag ~= 'u' then
  local since, old = number('b'), head(key)
  if old and old.flag == 'u' then return 0 end
  if old and old.flag == 'e' then since = math.max(since, old.seq) end
  if class ~= TRANSIENT then
    since = math.max(since, number('g'))
    if m.unblock ~= '' then since = math.max(since, number('s:' .. m.unblock)) end
  end
  if since > arrived then return 0 end
end
return place(key, m, ARGV[10])
