// Package mcpservers drives the reference servers of the Model Context Protocol,
// which nobody here wrote, behind a whole gateway.
package mcpservers
