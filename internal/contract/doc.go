// Package contract holds the tests of the promise itself: rules over the
// descriptors that no linter knows, and the names that callers may rely on.
//
// The rules read the descriptors that are compiled into gen/go. Each is shown to
// fail by a mutated copy. The frozen names (the gateway's codes and the
// observation's keys) stand in proto/baseline beside the image of the release
// that published them; a change of either needs a new version there and a
// section in the changelog.
package contract
