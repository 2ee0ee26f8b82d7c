package catalog

// importOpenAPI enters the tools that documents describe.
func (b *builder) importOpenAPI() {
	for i := range b.message.GetOpenapi() {
		b.report.sayf(b.root.field("openapi").index(i), "tools that are written out", "importing is not possible yet")
	}
}
