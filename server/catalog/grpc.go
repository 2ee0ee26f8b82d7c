package catalog

// importGRPC enters the tools that a server describes.
func (b *builder) importGRPC() {
	for i := range b.message.GetGrpc() {
		b.report.sayf(b.root.field("grpc").index(i), "tools that are written out", "importing is not possible yet")
	}
}

func (b *builder) compileGRPC(e *entry) {
	b.report.sayf(e.at.field("grpc"), "http, function", "this kind of back end is not possible yet")
}
