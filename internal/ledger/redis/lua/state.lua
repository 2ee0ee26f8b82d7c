-- bound
return state(tonumber(ARGV[1]))
