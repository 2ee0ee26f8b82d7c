// Package contract holds the tests of the promise itself, which docs/contract.md
// tells: rules over the descriptors that no linter knows; the names (the gateway's
// codes, the observation's keys) and meanings that callers rely on; and messages of
// each release, which are read for ever.
//
// What is frozen stands in proto/baseline beside the image of the release that
// published it. A change of any of it needs a new version there and a section in the
// changelog that names it. Every guard is shown to work on copies of the tree that
// are changed on purpose.
package contract
