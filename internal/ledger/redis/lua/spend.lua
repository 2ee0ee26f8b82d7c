-- idle ms
if not alive() then begin(ARGV[1]) end
return call('HINCRBY', R, 'p', 1)
