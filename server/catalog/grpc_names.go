package catalog

import (
	"strings"
	"unicode"

	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// toolNames are the names of tools by `package.Service/Method`.
type toolNames map[string]string

// nameTools names the tools of a server's methods `service_method` in snake case,
// the word Service left out. Where two services would be called the same, the last
// part of their package stands before it (`v1_`), and where that does not tell them
// apart the whole package. A name does not depend on which methods there are beside.
func nameTools(all []*methods.Method) toolNames {
	names := toolNames{}
	packages := map[string]map[string]bool{} // by what a service is called
	for _, method := range all {
		folder, service := splitService(method.Service())
		if packages[service] == nil {
			packages[service] = map[string]bool{}
		}
		packages[service][folder] = true
	}
	for _, method := range all {
		folder, service := splitService(method.Service())
		name := joinNames(service, method, all)
		if others := packages[service]; len(others) > 1 {
			name = distinct(folder, others) + "_" + name
		}
		names[method.Name()] = within64(name, snake(method.Short()))
	}
	return names
}

// joinNames says the service once, where the method begins with it: AuthEnable of Auth
// is auth_enable.
func joinNames(service string, method *methods.Method, all []*methods.Method) string {
	name := snake(method.Short())
	if !strings.HasPrefix(name, service+"_") {
		return service + "_" + name
	}
	for _, other := range all {
		if other.Service() == method.Service() && service+"_"+snake(other.Short()) == name {
			return service + "_" + name // Enable of Auth has that name
		}
	}
	return name
}

// splitService splits a full name into its package and what the service is called.
func splitService(full string) (folder, service string) {
	if dot := strings.LastIndexByte(full, '.'); dot >= 0 {
		folder, full = full[:dot], full[dot+1:]
	}
	if short := strings.TrimSuffix(full, "Service"); short != "" {
		full = short
	}
	return folder, snake(full)
}

// distinct is the part of a package that tells it from others.
func distinct(folder string, others map[string]bool) string {
	last := folder[strings.LastIndexByte(folder, '.')+1:]
	same := 0
	for other := range others {
		if other[strings.LastIndexByte(other, '.')+1:] == last {
			same++
		}
	}
	if same > 1 {
		return strings.ReplaceAll(folder, ".", "_")
	}
	return last
}

// within64 leaves out the service where a name would be too long for a tool, and then
// the end.
func within64(name, method string) string {
	if len(name) <= maxNameBytes {
		return name
	}
	return method[:min(len(method), maxNameBytes)]
}

// snake writes CamelCase in snake case: `OpenFGA` is open_fga, `KV` kv, `ListV2Items`
// list_v2_items.
func snake(name string) string {
	runes := []rune(name)
	var text strings.Builder
	for i, c := range runes {
		if unicode.IsUpper(c) && i > 0 && runes[i-1] != '_' {
			before, last := runes[i-1], i+1 == len(runes)
			if !unicode.IsUpper(before) || !last && unicode.IsLower(runes[i+1]) {
				text.WriteByte('_')
			}
		}
		text.WriteRune(unicode.ToLower(c))
	}
	return text.String()
}
