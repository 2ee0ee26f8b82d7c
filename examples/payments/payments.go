// Package payments is an example back end: accounts, transfers and deposits,
// over plain HTTP and JSON, that knows nothing of toolgate.
//
// Its rules:
//
//   - POST /transfers {account_id, to, amount, reference} moves money.
//   - An amount has at most two decimals and is above zero, else a 400.
//   - One transfer carries at most 500.00: a 422, transaction_limit.
//   - An account cannot go below zero: a 422, insufficient_funds, whose body has
//     the same shape: value, threshold and the comparison that failed.
//   - A reference is the caller's own and names one transfer: using it twice is
//     a 409.
//   - GET /transfers/{reference} finds a transfer; 404 when there is none.
//   - POST /deposits {account_id, amount} credits an account at once.
//   - GET /accounts/{id} shows a balance.
package payments

import (
	"encoding/json"
	"net/http"
)

// Handler serves a bank of its own: acc_1042 with 42.10 and acc_2077 with
// 900.00. It is safe for concurrent use.
func Handler() http.Handler {
	desk := &desk{bank: newBank()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /accounts/{id}", desk.balance)
	mux.HandleFunc("POST /transfers", desk.transfer)
	mux.HandleFunc("GET /transfers/{reference}", desk.find)
	mux.HandleFunc("POST /deposits", desk.deposit)
	return mux
}

type desk struct{ bank *bank }

// order is the body of a transfer or a deposit.
type order struct {
	Account   string      `json:"account_id"`
	To        string      `json:"to,omitempty"`
	Amount    json.Number `json:"amount"`
	Reference string      `json:"reference,omitempty"`
}

func (d *desk) balance(w http.ResponseWriter, r *http.Request) {
	balance, known := d.bank.balance(r.PathValue("id"))
	if !known {
		unknownAccount.write(w)
		return
	}
	answer(w, http.StatusOK, map[string]any{"account_id": r.PathValue("id"), "balance": balance})
}

func (d *desk) transfer(w http.ResponseWriter, r *http.Request) {
	wanted, amount, fault := read(r)
	if fault == nil {
		fault = d.bank.transfer(wanted, amount)
	}
	if fault != nil {
		fault.write(w)
		return
	}
	balance, _ := d.bank.balance(wanted.Account)
	answer(w, http.StatusCreated, map[string]any{
		"reference": wanted.Reference, "status": "booked", "amount": amount, "balance": balance,
	})
}

func (d *desk) find(w http.ResponseWriter, r *http.Request) {
	transfer, known := d.bank.find(r.PathValue("reference"))
	if !known {
		refusal{Status: 404, Code: "transfer_not_found", Message: "No transfer has this reference"}.write(w)
		return
	}
	answer(w, http.StatusOK, transfer)
}

func (d *desk) deposit(w http.ResponseWriter, r *http.Request) {
	wanted, amount, fault := read(r)
	if fault != nil {
		fault.write(w)
		return
	}
	balance, known := d.bank.deposit(wanted.Account, amount)
	if !known {
		unknownAccount.write(w)
		return
	}
	answer(w, http.StatusCreated, map[string]any{"account_id": wanted.Account, "balance": balance})
}

func read(r *http.Request) (order, cents, *refusal) {
	var wanted order
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return wanted, 0, &refusal{Status: 400, Code: "invalid_body", Message: "The body is not an order"}
	}
	amount, ok := parseCents(wanted.Amount.String())
	if !ok || amount <= 0 {
		return wanted, 0, &refusal{Status: 400, Code: "invalid_amount",
			Message: "The amount must be above zero and have at most two decimals", Field: "amount"}
	}
	return wanted, amount, nil
}

// refusal is the body of every refusal.
type refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"error"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	*boundary
}

// boundary is the rule that a request broke: value must be at_most threshold.
type boundary struct {
	Value      cents  `json:"value"`
	Threshold  cents  `json:"threshold"`
	Comparison string `json:"comparison"`
}

var unknownAccount = refusal{Status: 404, Code: "unknown_account", Message: "There is no such account"}

func (f refusal) write(w http.ResponseWriter) { answer(w, f.Status, f) }

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller went away: nobody to tell
}
