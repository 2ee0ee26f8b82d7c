package dev.toolgate.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * ToolGatewayService runs tool calls and answers every failed one with a
 * ToolError in the response.
 * A status other than OK means that the runtime or the gateway is at fault,
 * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
 * INVALID_ARGUMENT (no run id, a call id reused for another call),
 * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
 * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
 * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
 * and DEADLINE_EXCEEDED.
 * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
 *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
 *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
 *   CALL_MISSING          INVALID_ARGUMENT: there is no call
 *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
 *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
 *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
 *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
 *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
 *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
 *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
 *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
 *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
 *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
 *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
 *   DRAINING              UNAVAILABLE: another replica takes the call
 *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
 *   CALLER_CANCELLED      CANCELLED: the caller left
 *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
 *   INTERNAL              INTERNAL: a fault of the gateway
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ToolGatewayServiceGrpc {

  private ToolGatewayServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolgate.v1.ToolGatewayService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.ListToolsRequest,
      dev.toolgate.v1.ListToolsResponse> getListToolsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListTools",
      requestType = dev.toolgate.v1.ListToolsRequest.class,
      responseType = dev.toolgate.v1.ListToolsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.ListToolsRequest,
      dev.toolgate.v1.ListToolsResponse> getListToolsMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.ListToolsRequest, dev.toolgate.v1.ListToolsResponse> getListToolsMethod;
    if ((getListToolsMethod = ToolGatewayServiceGrpc.getListToolsMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getListToolsMethod = ToolGatewayServiceGrpc.getListToolsMethod) == null) {
          ToolGatewayServiceGrpc.getListToolsMethod = getListToolsMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.ListToolsRequest, dev.toolgate.v1.ListToolsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListTools"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.ListToolsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.ListToolsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("ListTools"))
              .build();
        }
      }
    }
    return getListToolsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolRequest,
      dev.toolgate.v1.CallToolResponse> getCallToolMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CallTool",
      requestType = dev.toolgate.v1.CallToolRequest.class,
      responseType = dev.toolgate.v1.CallToolResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolRequest,
      dev.toolgate.v1.CallToolResponse> getCallToolMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolRequest, dev.toolgate.v1.CallToolResponse> getCallToolMethod;
    if ((getCallToolMethod = ToolGatewayServiceGrpc.getCallToolMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getCallToolMethod = ToolGatewayServiceGrpc.getCallToolMethod) == null) {
          ToolGatewayServiceGrpc.getCallToolMethod = getCallToolMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.CallToolRequest, dev.toolgate.v1.CallToolResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CallTool"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.CallToolRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.CallToolResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("CallTool"))
              .build();
        }
      }
    }
    return getCallToolMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolsRequest,
      dev.toolgate.v1.CallToolsResponse> getCallToolsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CallTools",
      requestType = dev.toolgate.v1.CallToolsRequest.class,
      responseType = dev.toolgate.v1.CallToolsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolsRequest,
      dev.toolgate.v1.CallToolsResponse> getCallToolsMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.CallToolsRequest, dev.toolgate.v1.CallToolsResponse> getCallToolsMethod;
    if ((getCallToolsMethod = ToolGatewayServiceGrpc.getCallToolsMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getCallToolsMethod = ToolGatewayServiceGrpc.getCallToolsMethod) == null) {
          ToolGatewayServiceGrpc.getCallToolsMethod = getCallToolsMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.CallToolsRequest, dev.toolgate.v1.CallToolsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CallTools"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.CallToolsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.CallToolsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("CallTools"))
              .build();
        }
      }
    }
    return getCallToolsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.GetRunRequest,
      dev.toolgate.v1.GetRunResponse> getGetRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetRun",
      requestType = dev.toolgate.v1.GetRunRequest.class,
      responseType = dev.toolgate.v1.GetRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.GetRunRequest,
      dev.toolgate.v1.GetRunResponse> getGetRunMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.GetRunRequest, dev.toolgate.v1.GetRunResponse> getGetRunMethod;
    if ((getGetRunMethod = ToolGatewayServiceGrpc.getGetRunMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getGetRunMethod = ToolGatewayServiceGrpc.getGetRunMethod) == null) {
          ToolGatewayServiceGrpc.getGetRunMethod = getGetRunMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.GetRunRequest, dev.toolgate.v1.GetRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.GetRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.GetRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("GetRun"))
              .build();
        }
      }
    }
    return getGetRunMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.EndRunRequest,
      dev.toolgate.v1.EndRunResponse> getEndRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "EndRun",
      requestType = dev.toolgate.v1.EndRunRequest.class,
      responseType = dev.toolgate.v1.EndRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.EndRunRequest,
      dev.toolgate.v1.EndRunResponse> getEndRunMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.EndRunRequest, dev.toolgate.v1.EndRunResponse> getEndRunMethod;
    if ((getEndRunMethod = ToolGatewayServiceGrpc.getEndRunMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getEndRunMethod = ToolGatewayServiceGrpc.getEndRunMethod) == null) {
          ToolGatewayServiceGrpc.getEndRunMethod = getEndRunMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.EndRunRequest, dev.toolgate.v1.EndRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "EndRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.EndRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.EndRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("EndRun"))
              .build();
        }
      }
    }
    return getEndRunMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.toolgate.v1.GetFailureReportRequest,
      dev.toolgate.v1.GetFailureReportResponse> getGetFailureReportMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetFailureReport",
      requestType = dev.toolgate.v1.GetFailureReportRequest.class,
      responseType = dev.toolgate.v1.GetFailureReportResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.toolgate.v1.GetFailureReportRequest,
      dev.toolgate.v1.GetFailureReportResponse> getGetFailureReportMethod() {
    io.grpc.MethodDescriptor<dev.toolgate.v1.GetFailureReportRequest, dev.toolgate.v1.GetFailureReportResponse> getGetFailureReportMethod;
    if ((getGetFailureReportMethod = ToolGatewayServiceGrpc.getGetFailureReportMethod) == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        if ((getGetFailureReportMethod = ToolGatewayServiceGrpc.getGetFailureReportMethod) == null) {
          ToolGatewayServiceGrpc.getGetFailureReportMethod = getGetFailureReportMethod =
              io.grpc.MethodDescriptor.<dev.toolgate.v1.GetFailureReportRequest, dev.toolgate.v1.GetFailureReportResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetFailureReport"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.GetFailureReportRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.toolgate.v1.GetFailureReportResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolGatewayServiceMethodDescriptorSupplier("GetFailureReport"))
              .build();
        }
      }
    }
    return getGetFailureReportMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ToolGatewayServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceStub>() {
        @java.lang.Override
        public ToolGatewayServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolGatewayServiceStub(channel, callOptions);
        }
      };
    return ToolGatewayServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ToolGatewayServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceBlockingV2Stub>() {
        @java.lang.Override
        public ToolGatewayServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolGatewayServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ToolGatewayServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ToolGatewayServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceBlockingStub>() {
        @java.lang.Override
        public ToolGatewayServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolGatewayServiceBlockingStub(channel, callOptions);
        }
      };
    return ToolGatewayServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ToolGatewayServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolGatewayServiceFutureStub>() {
        @java.lang.Override
        public ToolGatewayServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolGatewayServiceFutureStub(channel, callOptions);
        }
      };
    return ToolGatewayServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * ListTools names the tools that this caller may use.
     * </pre>
     */
    default void listTools(dev.toolgate.v1.ListToolsRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.ListToolsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListToolsMethod(), responseObserver);
    }

    /**
     * <pre>
     * CallTool runs one call to its outcome. The gateway retries what time cures
     * within the caller's deadline (60 s where the caller sets none).
     * </pre>
     */
    default void callTool(dev.toolgate.v1.CallToolRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCallToolMethod(), responseObserver);
    }

    /**
     * <pre>
     * CallTools runs a model's parallel calls and streams progress and outcomes
     * as they come. One broken call never fails the others.
     * </pre>
     */
    default void callTools(dev.toolgate.v1.CallToolsRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCallToolsMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetRun tells what the gateway remembers of a run.
     * </pre>
     */
    default void getRun(dev.toolgate.v1.GetRunRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.GetRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetRunMethod(), responseObserver);
    }

    /**
     * <pre>
     * EndRun forgets a run and sums it up. Ending an unknown run is not an
     * error: its summary is empty.
     * </pre>
     */
    default void endRun(dev.toolgate.v1.EndRunRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.EndRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getEndRunMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetFailureReport counts failures since the gateway started.
     * </pre>
     */
    default void getFailureReport(dev.toolgate.v1.GetFailureReportRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.GetFailureReportResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetFailureReportMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ToolGatewayService.
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public static abstract class ToolGatewayServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ToolGatewayServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ToolGatewayService.
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public static final class ToolGatewayServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ToolGatewayServiceStub> {
    private ToolGatewayServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolGatewayServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolGatewayServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * ListTools names the tools that this caller may use.
     * </pre>
     */
    public void listTools(dev.toolgate.v1.ListToolsRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.ListToolsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListToolsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CallTool runs one call to its outcome. The gateway retries what time cures
     * within the caller's deadline (60 s where the caller sets none).
     * </pre>
     */
    public void callTool(dev.toolgate.v1.CallToolRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCallToolMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CallTools runs a model's parallel calls and streams progress and outcomes
     * as they come. One broken call never fails the others.
     * </pre>
     */
    public void callTools(dev.toolgate.v1.CallToolsRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getCallToolsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetRun tells what the gateway remembers of a run.
     * </pre>
     */
    public void getRun(dev.toolgate.v1.GetRunRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.GetRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetRunMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * EndRun forgets a run and sums it up. Ending an unknown run is not an
     * error: its summary is empty.
     * </pre>
     */
    public void endRun(dev.toolgate.v1.EndRunRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.EndRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getEndRunMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetFailureReport counts failures since the gateway started.
     * </pre>
     */
    public void getFailureReport(dev.toolgate.v1.GetFailureReportRequest request,
        io.grpc.stub.StreamObserver<dev.toolgate.v1.GetFailureReportResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetFailureReportMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ToolGatewayService.
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public static final class ToolGatewayServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ToolGatewayServiceBlockingV2Stub> {
    private ToolGatewayServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolGatewayServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolGatewayServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * ListTools names the tools that this caller may use.
     * </pre>
     */
    public dev.toolgate.v1.ListToolsResponse listTools(dev.toolgate.v1.ListToolsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListToolsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTool runs one call to its outcome. The gateway retries what time cures
     * within the caller's deadline (60 s where the caller sets none).
     * </pre>
     */
    public dev.toolgate.v1.CallToolResponse callTool(dev.toolgate.v1.CallToolRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCallToolMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTools runs a model's parallel calls and streams progress and outcomes
     * as they come. One broken call never fails the others.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.toolgate.v1.CallToolsResponse>
        callTools(dev.toolgate.v1.CallToolsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getCallToolsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetRun tells what the gateway remembers of a run.
     * </pre>
     */
    public dev.toolgate.v1.GetRunResponse getRun(dev.toolgate.v1.GetRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * EndRun forgets a run and sums it up. Ending an unknown run is not an
     * error: its summary is empty.
     * </pre>
     */
    public dev.toolgate.v1.EndRunResponse endRun(dev.toolgate.v1.EndRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getEndRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetFailureReport counts failures since the gateway started.
     * </pre>
     */
    public dev.toolgate.v1.GetFailureReportResponse getFailureReport(dev.toolgate.v1.GetFailureReportRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetFailureReportMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ToolGatewayService.
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public static final class ToolGatewayServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ToolGatewayServiceBlockingStub> {
    private ToolGatewayServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolGatewayServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolGatewayServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * ListTools names the tools that this caller may use.
     * </pre>
     */
    public dev.toolgate.v1.ListToolsResponse listTools(dev.toolgate.v1.ListToolsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListToolsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTool runs one call to its outcome. The gateway retries what time cures
     * within the caller's deadline (60 s where the caller sets none).
     * </pre>
     */
    public dev.toolgate.v1.CallToolResponse callTool(dev.toolgate.v1.CallToolRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCallToolMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTools runs a model's parallel calls and streams progress and outcomes
     * as they come. One broken call never fails the others.
     * </pre>
     */
    public java.util.Iterator<dev.toolgate.v1.CallToolsResponse> callTools(
        dev.toolgate.v1.CallToolsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getCallToolsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetRun tells what the gateway remembers of a run.
     * </pre>
     */
    public dev.toolgate.v1.GetRunResponse getRun(dev.toolgate.v1.GetRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * EndRun forgets a run and sums it up. Ending an unknown run is not an
     * error: its summary is empty.
     * </pre>
     */
    public dev.toolgate.v1.EndRunResponse endRun(dev.toolgate.v1.EndRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getEndRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetFailureReport counts failures since the gateway started.
     * </pre>
     */
    public dev.toolgate.v1.GetFailureReportResponse getFailureReport(dev.toolgate.v1.GetFailureReportRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetFailureReportMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ToolGatewayService.
   * <pre>
   * ToolGatewayService runs tool calls and answers every failed one with a
   * ToolError in the response.
   * A status other than OK means that the runtime or the gateway is at fault,
   * never the tool, and carries a google.rpc.ErrorInfo (domain `toolgate.dev`):
   * INVALID_ARGUMENT (no run id, a call id reused for another call),
   * UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the process is full, or
   * the caller asks for more than it may; with google.rpc.RetryInfo), UNAVAILABLE
   * (draining, or what tells callers is out of reach), and the caller's own CANCELLED
   * and DEADLINE_EXCEEDED.
   * Reasons (ErrorInfo.reason); a reader that meets another goes by the status:
   *   RUN_ID_MISSING        INVALID_ARGUMENT: `run_id` is empty
   *   RUN_ID_TOO_LONG       INVALID_ARGUMENT: `run_id` is over 128 bytes
   *   CALL_MISSING          INVALID_ARGUMENT: there is no call
   *   CALL_ID_TOO_LONG      INVALID_ARGUMENT: `call_id` is over 128 bytes
   *   CALL_ID_REUSED        INVALID_ARGUMENT: `call_id` belongs to another call
   *   BATCH_SIZE            INVALID_ARGUMENT: not 1 to 64 calls
   *   CREDENTIAL_MISSING    UNAUTHENTICATED: no credential was shown
   *   CREDENTIAL_INVALID    UNAUTHENTICATED: it is not known, or not genuine
   *   CREDENTIAL_EXPIRED    UNAUTHENTICATED: it was valid; fetch another
   *   NO_RIGHTS             PERMISSION_DENIED: the caller may do nothing at all
   *   REPORT_NOT_ALLOWED    PERMISSION_DENIED: the failure report is not for it
   *   GATEWAY_FULL          RESOURCE_EXHAUSTED: the process has no room for a call
   *   CALLER_RATE           RESOURCE_EXHAUSTED: too many requests per second
   *   CALLER_IN_FLIGHT      RESOURCE_EXHAUSTED: too many requests at a time
   *   DRAINING              UNAVAILABLE: another replica takes the call
   *   IDENTITY_UNAVAILABLE  UNAVAILABLE: the token can't be checked right now
   *   CALLER_CANCELLED      CANCELLED: the caller left
   *   CALLER_DEADLINE       DEADLINE_EXCEEDED: the caller's deadline passed
   *   INTERNAL              INTERNAL: a fault of the gateway
   * </pre>
   */
  public static final class ToolGatewayServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ToolGatewayServiceFutureStub> {
    private ToolGatewayServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolGatewayServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolGatewayServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * ListTools names the tools that this caller may use.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.toolgate.v1.ListToolsResponse> listTools(
        dev.toolgate.v1.ListToolsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListToolsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CallTool runs one call to its outcome. The gateway retries what time cures
     * within the caller's deadline (60 s where the caller sets none).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.toolgate.v1.CallToolResponse> callTool(
        dev.toolgate.v1.CallToolRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCallToolMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetRun tells what the gateway remembers of a run.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.toolgate.v1.GetRunResponse> getRun(
        dev.toolgate.v1.GetRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetRunMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * EndRun forgets a run and sums it up. Ending an unknown run is not an
     * error: its summary is empty.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.toolgate.v1.EndRunResponse> endRun(
        dev.toolgate.v1.EndRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getEndRunMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetFailureReport counts failures since the gateway started.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.toolgate.v1.GetFailureReportResponse> getFailureReport(
        dev.toolgate.v1.GetFailureReportRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetFailureReportMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_LIST_TOOLS = 0;
  private static final int METHODID_CALL_TOOL = 1;
  private static final int METHODID_CALL_TOOLS = 2;
  private static final int METHODID_GET_RUN = 3;
  private static final int METHODID_END_RUN = 4;
  private static final int METHODID_GET_FAILURE_REPORT = 5;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_LIST_TOOLS:
          serviceImpl.listTools((dev.toolgate.v1.ListToolsRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.ListToolsResponse>) responseObserver);
          break;
        case METHODID_CALL_TOOL:
          serviceImpl.callTool((dev.toolgate.v1.CallToolRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolResponse>) responseObserver);
          break;
        case METHODID_CALL_TOOLS:
          serviceImpl.callTools((dev.toolgate.v1.CallToolsRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.CallToolsResponse>) responseObserver);
          break;
        case METHODID_GET_RUN:
          serviceImpl.getRun((dev.toolgate.v1.GetRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.GetRunResponse>) responseObserver);
          break;
        case METHODID_END_RUN:
          serviceImpl.endRun((dev.toolgate.v1.EndRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.EndRunResponse>) responseObserver);
          break;
        case METHODID_GET_FAILURE_REPORT:
          serviceImpl.getFailureReport((dev.toolgate.v1.GetFailureReportRequest) request,
              (io.grpc.stub.StreamObserver<dev.toolgate.v1.GetFailureReportResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getListToolsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.toolgate.v1.ListToolsRequest,
              dev.toolgate.v1.ListToolsResponse>(
                service, METHODID_LIST_TOOLS)))
        .addMethod(
          getCallToolMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.toolgate.v1.CallToolRequest,
              dev.toolgate.v1.CallToolResponse>(
                service, METHODID_CALL_TOOL)))
        .addMethod(
          getCallToolsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.toolgate.v1.CallToolsRequest,
              dev.toolgate.v1.CallToolsResponse>(
                service, METHODID_CALL_TOOLS)))
        .addMethod(
          getGetRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.toolgate.v1.GetRunRequest,
              dev.toolgate.v1.GetRunResponse>(
                service, METHODID_GET_RUN)))
        .addMethod(
          getEndRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.toolgate.v1.EndRunRequest,
              dev.toolgate.v1.EndRunResponse>(
                service, METHODID_END_RUN)))
        .addMethod(
          getGetFailureReportMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.toolgate.v1.GetFailureReportRequest,
              dev.toolgate.v1.GetFailureReportResponse>(
                service, METHODID_GET_FAILURE_REPORT)))
        .build();
  }

  private static abstract class ToolGatewayServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ToolGatewayServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.toolgate.v1.Gateway.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ToolGatewayService");
    }
  }

  private static final class ToolGatewayServiceFileDescriptorSupplier
      extends ToolGatewayServiceBaseDescriptorSupplier {
    ToolGatewayServiceFileDescriptorSupplier() {}
  }

  private static final class ToolGatewayServiceMethodDescriptorSupplier
      extends ToolGatewayServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ToolGatewayServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (ToolGatewayServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ToolGatewayServiceFileDescriptorSupplier())
              .addMethod(getListToolsMethod())
              .addMethod(getCallToolMethod())
              .addMethod(getCallToolsMethod())
              .addMethod(getGetRunMethod())
              .addMethod(getEndRunMethod())
              .addMethod(getGetFailureReportMethod())
              .build();
        }
      }
    }
    return result;
  }
}
