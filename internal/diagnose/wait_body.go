package diagnose

import "strings"

// bodyWaits are names of members that hold a wait, without case and
// separators.
var bodyWaits = map[string]waitUnit{
	"retryafter": unitAuto, "retryafterseconds": unitSeconds, "retryaftersecs": unitSeconds, "retryaftersec": unitSeconds,
	"retryafterms": unitMillis, "retryaftermillis": unitMillis, "retryaftermilliseconds": unitMillis,
	"retryin": unitAuto, "retryinseconds": unitSeconds, "retryinms": unitMillis, "retrydelay": unitAuto,
	"retrydelayms": unitMillis, "retrydelayseconds": unitSeconds, "retryat": unitInstant, "retryafterdate": unitInstant,
	"retryaftertime": unitInstant, "retrytime": unitAuto, "nextretry": unitAuto, "nextretryat": unitInstant,
	"nextattemptat": unitInstant, "tryagainin": unitAuto, "tryagainat": unitInstant,
	"waitseconds": unitSeconds, "secondstowait": unitSeconds, "waittime": unitAuto, "waitms": unitMillis,
	"waittimeseconds": unitSeconds, "reset": unitInstant, "resetat": unitAuto, "resetsat": unitAuto, "resetin": unitAuto, "resetafter": unitAuto,
	"resettime": unitAuto, "ratelimitreset": unitAuto, "ratelimitresetat": unitInstant, "cooldown": unitAuto,
	"cooldownseconds": unitSeconds, "backoffseconds": unitSeconds, "backoffms": unitMillis, "resetinseconds": unitSeconds,
	"secondsuntilreset": unitSeconds, "timetoreset": unitAuto, "timetoretry": unitAuto, "retrywaitseconds": unitSeconds,
}

// maxWaitDepth is how deep in a body waits are looked for.
const maxWaitDepth = 6

// offerBody offers a wait that stands anywhere in the body under a name that
// means nothing else.
func (d *diagnosis) offerBody(h *hint) {
	if root := d.reading.root; root != nil && !h.found {
		d.searchWait(h, root, 0)
	}
}

func (d *diagnosis) searchWait(h *hint, n *node, depth int) {
	if depth > maxWaitDepth {
		return
	}
	items := n.items
	for i := range items[:min(len(items), 64)] {
		if h.found {
			return
		}
		m := &items[i]
		if m.node.isContainer() {
			d.searchWait(h, m.node, depth+1)
			continue
		}
		if m.name == "" || !mayBeWait(m.name) {
			continue
		}
		if unit, known := bodyWaits[plain(m.name)]; known {
			h.offer(d.parse(m.node.str(), unit), m.name)
		}
	}
}

// mayBeWait spares most names the map.
func mayBeWait(name string) bool {
	if len(name) < 5 {
		return false
	}
	switch name[0] | 0x20 {
	case 'r', 'n', 't', 'w', 's', 'c', 'b', 'x':
		return strings.IndexByte(name, ' ') < 0
	}
	return false
}

// costWait is the arithmetic of cost based limits: what the query lacks, over
// what flows back per second. more reports a query that no wait makes
// affordable.
func costWait(root *node) (w wait, more bool) {
	cost := root.at("extensions", "cost")
	status := cost.member("throttleStatus")
	requested, ok1 := cost.member("requestedQueryCost").number()
	available, ok2 := status.member("currentlyAvailable").number()
	rate, ok3 := status.member("restoreRate").number()
	if !ok1 || !ok2 || !ok3 || rate <= 0 {
		return wait{}, false
	}
	if most, ok := status.member("maximumAvailable").number(); ok && requested > most {
		return wait{}, true
	}
	return goodOrAbsurd(max(0, (requested-available)/rate)), false
}
