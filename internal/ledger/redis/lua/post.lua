-- KEYS[1] is the board, a hash. channel, field, from, what, hold µs, hint µs,
-- most fields. Writes a notice and tells those who listen.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local hold, hint = tonumber(ARGV[5]), tonumber(ARGV[6])
local till = now + math.max(hold, hint)
local notice = string.format('%s %s %.0f %.0f', ARGV[3], ARGV[4], now + hold, now + hint)
if ARGV[4] == 'c' then
  redis.call('HDEL', KEYS[1], ARGV[2])
else
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[7]) then
    local all = redis.call('HGETALL', KEYS[1])
    for i = 1, #all, 2 do
      local a, b = string.match(all[i + 1], '^%S+ %a (%d+) (%d+)$')
      if math.max(tonumber(a), tonumber(b)) <= now then redis.call('HDEL', KEYS[1], all[i]) end
    end
  end
  redis.call('HSET', KEYS[1], ARGV[2], notice)
  local left = redis.call('PTTL', KEYS[1])
  redis.call('PEXPIRE', KEYS[1], math.max(left, math.ceil((till - now) / 1000) + 1000))
end
redis.call('PUBLISH', ARGV[1], string.format('%.0f %s', now, notice) .. '\n' .. ARGV[2])
return 1
