package rest

// Routes are the methods and paths of the door, as the document writes them.
func (d *Door) Routes() (all []string) {
	for _, route := range d.routes {
		all = append(all, route.method+" "+route.path)
	}
	return all
}
