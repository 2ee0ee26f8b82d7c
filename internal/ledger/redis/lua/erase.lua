-- key
if not alive() then return 0 end
return place(ARGV[1], {till = 0, ttl = 0, snap = 0, class = 0, flag = 'e', unblock = '', tool = ''}, '')
