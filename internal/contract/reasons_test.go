package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statusReasons reads the reasons that the gateway's statuses carry: what is handed
// to whoever makes one, and the constants Reason....
func statusReasons(t *testing.T) (reasons []string) {
	t.Helper()
	for _, pattern := range []string{"../../interceptors/*.go", "../../interceptors/*/*.go", "../../server/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				reasons = append(reasons, reasonsIn(node)...)
				return true
			})
		}
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

var spelledAsReason = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)

func reasonsIn(node ast.Node) (reasons []string) {
	var values []ast.Expr
	switch node := node.(type) {
	case *ast.CallExpr:
		if makesStatus(node.Fun) {
			values = node.Args
		}
	case *ast.ValueSpec:
		if strings.HasPrefix(node.Names[0].Name, "Reason") {
			values = node.Values
		}
	}
	for _, value := range values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil && spelledAsReason.MatchString(text) {
			reasons = append(reasons, text)
		}
	}
	return reasons
}

func makesStatus(function ast.Expr) bool {
	name := ""
	switch function := function.(type) {
	case *ast.Ident:
		name = function.Name
	case *ast.SelectorExpr:
		name = function.Sel.Name
	}
	return name == "withDetails" || strings.HasPrefix(name, "Status")
}

func TestTheServicesCommentListsTheReasonsOfItsStatuses(t *testing.T) {
	source, err := os.ReadFile("../../proto/toolgate/v1/gateway.proto")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, match := range regexp.MustCompile(`(?m)^//   ([A-Z_]+)  +[A-Z_]+: \S`).FindAllStringSubmatch(string(source), -1) {
		documented = append(documented, match[1])
	}
	slices.Sort(documented)
	if reasons := statusReasons(t); !slices.Equal(documented, reasons) {
		t.Errorf("gateway.proto and the code give other reasons\n%s", difference(documented, reasons))
	}
}
