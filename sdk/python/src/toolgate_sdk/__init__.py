"""The client of a toolgate gateway.

A call ends in one of two ways: a `Result`, or an exception. A `ToolCallError` is the
tool's failure, and its `error_class` says what to do next:

- `ErrorClass.TRANSIENT`: the moment is wrong. Wait `retry_after`, send the identical
  call (`wait_transient` does both). Show the model nothing until you give up.
- `ErrorClass.INVALID_REQUEST`: the arguments are wrong. Give `observation` to the model.
- `ErrorClass.TERMINAL`: this call is over. Give `observation` to the model.

A `GatewayError` is never the tool's fault: the gateway, the network or this program is.

The gateway retries what time cures, so nothing here does: gRPC's own retries are off.
"""

from toolgate_sdk._aio import AsyncClient, AsyncRun
from toolgate_sdk._calls import Call, Outcome, Progress, Result
from toolgate_sdk._client import Client, Run
from toolgate_sdk._errors import Alternative, ErrorClass, GatewayError, ToolCallError, Violation
from toolgate_sdk._tools import ToolList

__all__ = [
    "Alternative",
    "AsyncClient",
    "AsyncRun",
    "Call",
    "Client",
    "ErrorClass",
    "GatewayError",
    "Outcome",
    "Progress",
    "Result",
    "Run",
    "ToolCallError",
    "ToolList",
    "Violation",
]
