-- KEYS[1] is any key. Writes, as the others will want to.
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 1
