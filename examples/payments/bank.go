package payments

import (
	"fmt"
	"net/http"
	"sync"
)

// ceiling is what one transfer carries at most.
const ceiling cents = 500_00

// bank holds the accounts and the transfers made.
type bank struct {
	mu        sync.Mutex // guards what follows
	accounts  map[string]cents
	transfers map[string]transfer // by reference
}

type transfer struct {
	Reference string `json:"reference"`
	Status    string `json:"status"`
	Account   string `json:"account_id"`
	To        string `json:"to"`
	Amount    cents  `json:"amount"`
}

func newBank() *bank {
	return &bank{
		accounts:  map[string]cents{"acc_1042": 42_10, "acc_2077": 900_00},
		transfers: map[string]transfer{},
	}
}

func (b *bank) balance(account string) (cents, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	balance, known := b.accounts[account]
	return balance, known
}

func (b *bank) deposit(account string, amount cents) (cents, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.accounts[account]; !known {
		return 0, false
	}
	b.accounts[account] += amount
	return b.accounts[account], true
}

func (b *bank) find(reference string) (transfer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	made, known := b.transfers[reference]
	return made, known
}

// transfer moves amount, or says which rule forbids it and changes nothing.
func (b *bank) transfer(wanted order, amount cents) *refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	balance, known := b.accounts[wanted.Account]
	if !known {
		return &unknownAccount
	}
	if wanted.Reference == "" || wanted.To == "" {
		return &refusal{Status: 400, Code: "incomplete", Message: "A transfer needs a recipient and a reference"}
	}
	if _, used := b.transfers[wanted.Reference]; used {
		return &refusal{Status: http.StatusConflict, Code: "duplicate_reference",
			Message: "A transfer with this reference was made before", Field: "reference"}
	}
	if amount > ceiling {
		return limit("transaction_limit", "Transfer of %[2]s above the limit of %[1]s per transaction", amount, ceiling)
	}
	if amount > balance {
		return limit("insufficient_funds", "Balance %s below requested %s", amount, balance)
	}
	b.accounts[wanted.Account] -= amount
	b.transfers[wanted.Reference] = transfer{wanted.Reference, "booked", wanted.Account, wanted.To, amount}
	return nil
}

// limit is the one shape of both limits: the same fact under two policies.
func limit(code, words string, value, threshold cents) *refusal {
	return &refusal{
		Status: http.StatusUnprocessableEntity, Code: code,
		Message:  fmt.Sprintf(words, threshold, value),
		boundary: &boundary{Value: value, Threshold: threshold, Comparison: "at_most"},
	}
}
