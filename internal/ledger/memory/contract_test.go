package memory_test

import (
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/ledgertest"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func TestTheKeeperHoldsTheContract(t *testing.T) {
	ledgertest.Run(t, ledgertest.Keeper{
		Open:   func(*testing.T) interceptors.Ledger { return memory.New() },
		Within: synctest.Test,
		Wait:   time.Sleep,
	})
}
