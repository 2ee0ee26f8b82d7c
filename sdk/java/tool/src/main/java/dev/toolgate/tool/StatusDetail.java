package dev.toolgate.tool;

import com.google.protobuf.Any;
import com.google.rpc.Status;
import dev.toolgate.v1.ToolError;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;

/** A failure as the status of an rpc. */
final class StatusDetail {
    private static final int DETAIL_BYTES = 4096; // what every client's trailers hold
    private static final int MESSAGE_BYTES = 128; // what the status's own message takes of it

    private StatusDetail() {}

    static StatusRuntimeException of(ToolFailure failure) {
        ToolError detail = shortened(failure.proto());
        return StatusProto.toStatusRuntimeException(Status.newBuilder()
                .setCode(failure.grpcCode().value())
                .setMessage(Bounds.cut(detail.getMessage(), MESSAGE_BYTES))
                .addDetails(Any.pack(detail))
                .build());
    }

    /** Leaves out what is longest first, what the caller acts on last. */
    private static ToolError shortened(ToolError whole) {
        ToolError.Builder error = whole.toBuilder();
        while (error.build().getSerializedSize() > DETAIL_BYTES) {
            int last = error.getViolationsCount() - 1;
            if (!error.getFactsJson().isEmpty()) {
                error.clearFactsJson();
            } else if (!error.getRequestedJson().isEmpty()) {
                error.clearRequestedJson();
            } else if (last > 0) {
                error.removeViolations(last).setViolationsTruncated(true);
            } else if (last == 0 && error.getViolations(0).getAcceptedCount() > 0) {
                error.getViolationsBuilder(0).clearAccepted().setAcceptedTruncated(true);
            } else {
                error.clearAlternatives().setAlternativesTruncated(true);
            }
        }
        return error.build();
    }
}
