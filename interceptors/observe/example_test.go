package observe_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/observe"
)

func Example() {
	room := observe.New(observe.Settings{KnownCode: func(code string) bool { return code == interceptors.CodeBusy }})
	call := &interceptors.Call{Tool: &interceptors.Tool{Name: "find_slots"}}
	room.Finished(context.Background(), call, interceptors.RefuseTransient(interceptors.CodeBusy, "too many calls", 1), nil)

	report := room.Report(&toolgatev1.GetFailureReportRequest{})
	fmt.Println(report.GetCalls(), report.GetFailures()[0].GetTool(), report.GetFailures()[0].GetCode())
	// Output: 1 find_slots busy
}
