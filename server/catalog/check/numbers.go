package check

import (
	"fmt"
	"strconv"
)

// numbers compares the resolved numbers of a tool, wherever they are written.
func (p *pair) numbers() {
	old, now := p.old.Tool.Policy, p.now.Tool.Policy
	lowered := false
	for _, limit := range []struct {
		field    string
		old, now uint32
		zeroIsNo bool // 0 is no limit
	}{
		{"rejection_cap", old.RejectionCap, now.RejectionCap, true},
		{"rejection_cap_per_run", old.RejectionCapPerRun, now.RejectionCapPerRun, true},
		{"max_calls_per_run", old.MaxCallsPerRun, now.MaxCallsPerRun, true},
		{"max_arguments_bytes", old.MaxArgumentsBytes, now.MaxArgumentsBytes, false},
		{"max_result_bytes", old.MaxResultBytes, now.MaxResultBytes, false},
	} {
		if isLower(limit.old, limit.now, limit.zeroIsNo) {
			lowered = true
			p.add(limitLowered, "", fmt.Sprintf("%s was %s and is %s", limit.field, limitName(limit.old, limit.zeroIsNo), limitName(limit.now, limit.zeroIsNo)), "policy", limit.field)
		}
	}
	if old != now && !lowered {
		p.add(numbersChanged, "", "the numbers of the rooms changed", "policy")
	}
}

func isLower(old, now uint32, zeroIsNo bool) bool {
	if zeroIsNo && old == 0 {
		return now != 0
	}
	return now < old && !(zeroIsNo && now == 0)
}

func limitName(n uint32, zeroIsNo bool) string {
	if n == 0 && zeroIsNo {
		return "none"
	}
	return strconv.FormatUint(uint64(n), 10)
}
