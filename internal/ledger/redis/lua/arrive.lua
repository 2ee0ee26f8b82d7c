-- idle ms, bound
arrive(ARGV[1])
return state(tonumber(ARGV[2]))
