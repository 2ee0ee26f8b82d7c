-- key, sequence, and for a replacement: left µs, ttl µs, class, unblock, tool, payload
local key, m = ARGV[1], head(ARGV[1])
if not m or m.flag ~= 'u' or m.seq ~= tonumber(ARGV[2]) then return 0 end
if #ARGV == 2 then
  drop(key, m)
  return 1
end
place(key, {
  till = math.max(now + tonumber(ARGV[3]), 0), ttl = tonumber(ARGV[4]), snap = now, class = tonumber(ARGV[5]),
  flag = 'm', unblock = ARGV[6], tool = ARGV[7],
}, ARGV[8])
return 1
