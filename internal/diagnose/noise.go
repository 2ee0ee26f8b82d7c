package diagnose

import "strings"

// noiseNames are members that mean nothing to whoever calls: where the failure
// was logged, which machine wrote it, where the manual is.
var noiseNames = map[string]bool{
	"requestid": true, "traceid": true, "trace": true, "stack": true, "stacktrace": true, "timestamp": true, "time": true,
	"path": true, "instance": true, "documentationurl": true, "helpurl": true, "moreinfo": true, "docurl": true, "doc": true,
	"docs": true, "help": true, "url": true, "href": true, "link": true, "links": true, "servertime": true, "server": true,
	"host": true, "hostname": true, "hostid": true, "node": true, "region": false, "correlationid": true, "activityid": true,
	"spanid": true, "fbtraceid": true, "logid": true, "errorid": true, "incidentid": true, "eventid": true, "debug": true,
	"exception": true, "apiversion": true, "version": true, "kind": false, "date": true, "clientrequestid": true, "ref": true,
	"reference": true, "errorreference": true, "ray": true, "rayid": true, "cfray": true, "transactionid": true, "file": true, "line": true, "httpstatus": true,
	"statuscode": true, "httpcode": true, "xrequestid": true, "requesttoken": true, "token": true, "signature": true, "debugid": true,
	"requesturl": true, "uri": true, "method": true, "took": true, "jsonrpc": true, "guid": true, "uuid": true, "logref": true, "sessionid": true, "requestlogurl": true,
}

// noise reports a member that no caller can act on.
func noise(name string) bool {
	p := plain(name)
	return noiseNames[p] || strings.HasSuffix(p, "requestid") || strings.HasSuffix(p, "traceid") || strings.HasSuffix(p, "correlationid")
}
