package redis

import (
	_ "embed"

	"github.com/redis/rueidis"
)

//go:embed lua/prelude.lua
var preludeLua string

//go:embed lua/counts.lua
var countsLua string

//go:embed lua/memories.lua
var memoriesLua string

//go:embed lua/arrive.lua
var arriveLua string

//go:embed lua/state.lua
var stateLua string

//go:embed lua/payload.lua
var payloadLua string

//go:embed lua/end.lua
var endLua string

//go:embed lua/spend.lua
var spendLua string

//go:embed lua/reject.lua
var rejectLua string

//go:embed lua/pardon.lua
var pardonLua string

//go:embed lua/offer.lua
var offerLua string

//go:embed lua/take.lua
var takeLua string

//go:embed lua/untake.lua
var untakeLua string

//go:embed lua/remember.lua
var rememberLua string

//go:embed lua/erase.lua
var eraseLua string

//go:embed lua/settle.lua
var settleLua string

//go:embed lua/keepkey.lua
var keepKeyLua string

//go:embed lua/takekey.lua
var takeKeyLua string

//go:embed lua/claim.lua
var claimLua string

//go:embed lua/renew.lua
var renewLua string

//go:embed lua/hollow.lua
var hollowLua string

//go:embed lua/restore.lua
var restoreLua string

//go:embed lua/after.lua
var afterLua string

//go:embed lua/probe.lua
var probeLua string

//go:embed lua/here.lua
var hereLua string

//go:embed lua/post.lua
var postLua string

// scripts are what the keeper asks of the server. Each is atomic and touches one
// slot.
type scripts struct {
	arrive, state, payload, end, spend  *rueidis.Lua
	reject, pardon, offer, take, untake *rueidis.Lua
	remember, erase, settle             *rueidis.Lua
	keepKey, takeKey                    *rueidis.Lua
	claim, renew, hollow, restore       *rueidis.Lua
	after, probe, post, here            *rueidis.Lua
}

func newScripts() *scripts {
	of := rueidis.NewLuaScript
	run := func(body string) *rueidis.Lua { return of(preludeLua + body) }
	counting := func(body string) *rueidis.Lua { return of(preludeLua + countsLua + body) }
	remembering := func(body string) *rueidis.Lua { return of(preludeLua + memoriesLua + body) }
	return &scripts{
		arrive: run(arriveLua), state: run(stateLua), payload: run(payloadLua), end: run(endLua), spend: run(spendLua),
		reject: counting(rejectLua), pardon: counting(pardonLua),
		offer: counting(offerLua), take: counting(takeLua), untake: counting(untakeLua),
		remember: remembering(rememberLua), erase: remembering(eraseLua), settle: remembering(settleLua),
		keepKey: run(keepKeyLua), takeKey: run(takeKeyLua),
		claim: run(claimLua), restore: run(restoreLua), renew: of(renewLua), hollow: of(hollowLua),
		after: of(preludeLua + countsLua + memoriesLua + afterLua), probe: of(probeLua), post: of(postLua), here: of(hereLua),
	}
}
