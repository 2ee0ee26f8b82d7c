package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// The ceilings. A file or function that outgrows one has more than one job.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
	maxParameters    = 5
)

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	for _, file := range sources(t) {
		if file.lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", file.path, file.lines, maxFileLines)
		}
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || file.test || strings.HasSuffix(file.folder, "test") {
				continue // a table of cases may be long, in a package of trials too
			}
			lines := file.files.Position(function.End()).Line - file.files.Position(function.Pos()).Line + 1
			if lines > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", file.path, function.Name, lines, maxFunctionLines)
			}
			if n := function.Type.Params.NumFields(); n > maxParameters {
				t.Errorf("%s: %s has %d parameters, more than %d", file.path, function.Name, n, maxParameters)
			}
			if booleansInARow(function.Type.Params) {
				t.Errorf("%s: %s takes bare booleans in a row: nobody can read its calls", file.path, function.Name)
			}
		}
	}
}

func TestNoPackageIsARoomForLeftovers(t *testing.T) {
	leftovers := []string{"util", "utils", "common", "helper", "helpers", "base", "misc", "shared", "lib"}
	for _, file := range sources(t) {
		if name := file.syntax.Name.Name; slices.Contains(leftovers, name) {
			t.Errorf("%s: package %s says nothing of what it holds", file.path, name)
		}
	}
}

func TestNothingHappensAtImport(t *testing.T) {
	for _, file := range sources(t) {
		for _, declaration := range file.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
				t.Errorf("%s has an init function: server/wire.go builds everything", file.path)
			}
			if names := mutableGlobals(declaration); len(names) > 0 && !file.test && file.syntax.Name.Name != "main" {
				t.Errorf("%s exports the variables %v, which anyone may change", file.path, names)
			}
		}
	}
}

// A room shows the same face as every other room. Those of every rpc are
// interceptors through and through.
func TestEveryRoomIsFurnishedAlike(t *testing.T) {
	everyRPC := []string{"recovery", "observe", "authenticate", "admit"}
	rooms := map[string][]string{}
	for _, file := range sources(t) {
		if isRoom(file.folder) {
			rooms[path.Base(file.folder)] = append(rooms[path.Base(file.folder)], path.Base(file.path))
		}
	}
	for room, files := range rooms {
		wanted := []string{"doc.go", room + ".go", "example_test.go"}
		if !slices.Contains(everyRPC, room) {
			wanted = append(wanted, "interceptor.go")
		}
		for _, file := range wanted {
			if !slices.Contains(files, file) {
				t.Errorf("the room %s has no %s", room, file)
			}
		}
		tests := func(file string) bool { return strings.HasSuffix(file, "_test.go") && file != "example_test.go" }
		if !slices.ContainsFunc(files, tests) {
			t.Errorf("the room %s has no tests", room)
		}
	}
}

func TestTestsSleepOnlyInBubbles(t *testing.T) {
	for _, file := range sources(t) {
		if !file.test || imports(file, "testing/synctest") {
			continue
		}
		for _, at := range sleeps(file.syntax) {
			t.Errorf("%s sleeps outside of a synctest bubble", file.files.Position(at))
		}
	}
}

// sleeps lists the calls of time.Sleep that stand in no function handed to a
// helper whose name says bubble.
func sleeps(file *ast.File) (found []token.Pos) {
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := call.Fun.(*ast.Ident); ok && strings.Contains(strings.ToLower(name.Name), "bubble") {
			return false
		}
		if isSelector(call.Fun, "time", "Sleep") {
			found = append(found, call.Pos())
		}
		return true
	})
	return found
}

func TestTheReadersSeeTheirFaults(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import "time"
var ErrGone, Limit = error(nil), 3
func bad(on, off bool) { time.Sleep(1); bubble(func() { time.Sleep(1) }) }
func alsoBad(a int, on bool, off bool) {}
func good(on bool, n int, off bool) {}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var globals, unreadable []string
	for _, declaration := range syntax.Decls {
		globals = append(globals, mutableGlobals(declaration)...)
		if function, ok := declaration.(*ast.FuncDecl); ok && booleansInARow(function.Type.Params) {
			unreadable = append(unreadable, function.Name.Name)
		}
	}
	if !slices.Equal(globals, []string{"Limit"}) || !slices.Equal(unreadable, []string{"bad", "alsoBad"}) || len(sleeps(syntax)) != 1 {
		t.Errorf("globals %v, unreadable %v, sleeps %d", globals, unreadable, sleeps(syntax))
	}
}

func booleansInARow(parameters *ast.FieldList) bool {
	inARow := 0
	for _, field := range parameters.List {
		if kind, ok := field.Type.(*ast.Ident); !ok || kind.Name != "bool" {
			inARow = 0
			continue
		}
		if inARow += max(1, len(field.Names)); inARow > 1 {
			return true
		}
	}
	return false
}

// mutableGlobals lists exported variables. Errors to compare with are the
// exception that the language makes.
func mutableGlobals(declaration ast.Decl) (names []string) {
	general, ok := declaration.(*ast.GenDecl)
	if !ok || general.Tok != token.VAR {
		return nil
	}
	for _, spec := range general.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

func imports(file source, path string) bool {
	return slices.ContainsFunc(file.syntax.Imports, func(spec *ast.ImportSpec) bool {
		return strings.Trim(spec.Path.Value, `"`) == path
	})
}

func isSelector(expression ast.Expr, of, name string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	ident, ok := selector.X.(*ast.Ident)
	return ok && ident.Name == of
}
