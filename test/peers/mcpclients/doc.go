// Package mcpclients drives the MCP door with the official clients, which nobody
// here wrote: those in TypeScript (both lines), Python and Go, and the inspector's
// CLI, over streamable HTTP and over standard input and output. Each plays the
// same story.
package mcpclients
