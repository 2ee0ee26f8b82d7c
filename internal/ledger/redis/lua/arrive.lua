-- idle ms, bound
return arrive(ARGV[1], tonumber(ARGV[2]))
