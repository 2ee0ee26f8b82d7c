-- keys of calls
return call('HMGET', P, unpack(ARGV))
