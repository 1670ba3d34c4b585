-- SPDX-License-Identifier: ISC
-- wrk: random card authorizations of known users (bench/bench.sh fills in
-- the key and the number of users).
local users = @USERS@
local n = 0
local thread = 0

function setup(t)
	thread = thread + 1
	t:set("id", thread)
end

function init(args)
	math.randomseed(os.time() * 7 + id)
	wrk.method = "POST"
	wrk.path = "/v1/decisions"
	wrk.headers["Content-Type"] = "application/json"
	wrk.headers["X-API-Key"] = "@KEY@"
end

function request()
	local user = math.random(0, users - 1)
	n = n + 1
	return wrk.format(nil, nil, nil, string.format(
	    '{"id":"w%d-%d-%d","type":"card.authorize","amount":%d.%02d,' ..
	    '"currency":"EUR","subject":{"userId":"u%d","deviceId":"d%d-%d",' ..
	    '"ip":"81.%d.%d.%d"},"instrument":{"kind":"card","bin":"411111",' ..
	    '"issuerCountry":"DE","threeDS":true},' ..
	    '"attributes":{"merchant":"m-%d"}}',
	    id, n, math.random(1, 1000000000), math.random(1, 200),
	    math.random(0, 99), user, user, math.random(0, 1),
	    math.floor(user / 65536) % 256, math.floor(user / 256) % 256,
	    user % 256, math.random(1, 50)))
end
