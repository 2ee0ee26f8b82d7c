package evidence

import (
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// ClassName is a class as logs and metrics write it: `invalid_request`.
func ClassName(class toolgatev1.ErrorClass) string {
	return strings.ToLower(strings.TrimPrefix(class.String(), "ERROR_CLASS_"))
}

// ByName is who decided a class as logs and metrics write it: `verdict_header`.
func ByName(by toolgatev1.ClassifiedBy) string {
	return strings.ToLower(strings.TrimPrefix(by.String(), "CLASSIFIED_BY_"))
}
