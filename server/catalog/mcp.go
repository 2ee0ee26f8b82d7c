package catalog

// importMCP enters the tools that a server describes.
func (b *builder) importMCP() {
	for i := range b.message.GetMcp() {
		b.report.sayf(b.root.field("mcp").index(i), "tools that are written out", "importing is not possible yet")
	}
}

func (b *builder) compileMCP(e *entry) {
	b.report.sayf(e.at.field("mcp"), "http, function", "this kind of back end is not possible yet")
}
