package diagnose

// envelope is one shape in which errors are written.
type envelope struct {
	name string
	read func(*diagnosis) bool // false: the body has another shape
}

// envelopes are asked in order, the most telling shape first. What the one
// that answers leaves open, readGeneric fills.
var envelopes = [...]envelope{
	{"a google.rpc.Status", (*diagnosis).readGoogle},
	{"a Connect or Twirp error", (*diagnosis).readConnect},
	{"an AWS error", (*diagnosis).readAWS},
	{"a SOAP fault", (*diagnosis).readSOAP},
	{"an XML-RPC fault", (*diagnosis).readXMLRPC},
	{"a FHIR OperationOutcome", (*diagnosis).readFHIR},
	{"an RFC 9457 problem", (*diagnosis).readProblem},
	{"a FastAPI error", (*diagnosis).readFastAPI},
	{"a GraphQL error", (*diagnosis).readGraphQL},
	{"a JSON:API error", (*diagnosis).readJSONAPI},
	{"an OData error", (*diagnosis).readOData},
	{"a batch answer", (*diagnosis).readBatch},
	{"a Spring error", (*diagnosis).readSpring},
}

// readEnvelope takes from the body what the vocabulary did not find.
func (d *diagnosis) readEnvelope() {
	d.readShapes()
	d.readChallenge()
}

// readShapes asks the shapes.
func (d *diagnosis) readShapes() {
	r, f := d.reading, &d.finding
	switch r.form {
	case formHTML:
		d.readPage()
		return
	case formText:
		d.readPlainText()
		return
	}
	if r.root == nil {
		return
	}
	for _, e := range envelopes {
		if e.read(d) {
			f.shapeSaid = e.name
			break
		}
	}
	d.readFaults()
	d.readGeneric()
	if w, more := costWait(r.root); more {
		f.suggest("invalid_request")
	} else {
		f.wait.offer(w, "the query's cost")
	}
	if r.text != "" {
		f.addMessage(r.text)
	}
}

// badRequest reports a status under which faults in fields mean that the
// arguments are wrong.
func (d *diagnosis) badRequest() bool {
	if !d.reading.http() {
		return d.reading.form != formStatus
	}
	switch s := d.reading.status; s {
	case 400, 404, 406, 409, 410, 412, 413, 414, 415, 416, 422, 428:
		return true
	default:
		return s >= 200 && s < 300
	}
}
