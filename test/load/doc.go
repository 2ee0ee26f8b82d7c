// Command load ramps a gateway to saturation on loopback: an open-loop generator
// (arrivals keep their rhythm whatever the answers do) against a back end of 50
// ms and 32 slots, 640 calls a second. It prints a table, writes the figures to
// a file, and fails where overload is not refused early or where the admitted
// calls lose their latency. `make load` runs it; it takes about a minute.
package main
