// Package peers tests the whole gateway against servers that nobody here wrote.
package peers
