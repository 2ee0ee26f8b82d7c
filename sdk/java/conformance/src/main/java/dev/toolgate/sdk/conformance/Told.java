package dev.toolgate.sdk.conformance;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.toolgate.conformance.v1.Answered;
import dev.toolgate.conformance.v1.ExecuteResponse;
import dev.toolgate.conformance.v1.Failed;
import dev.toolgate.conformance.v1.Outcome;
import dev.toolgate.conformance.v1.RpcFailure;
import dev.toolgate.conformance.v1.Shape;
import dev.toolgate.sdk.Alternative;
import dev.toolgate.sdk.GatewayException;
import dev.toolgate.sdk.Progress;
import dev.toolgate.sdk.Result;
import dev.toolgate.sdk.ToolCallException;
import dev.toolgate.sdk.ToolList;
import dev.toolgate.sdk.ToolgateException;
import dev.toolgate.sdk.Violation;
import dev.toolgate.v1.RunSummary;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What came of a move, read from the SDK's own types. */
final class Told {
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private final ExecuteResponse.Builder response;
    private final List<Progress> heard = new ArrayList<>();

    Told(ExecuteResponse.Builder response) {
        this.response = response;
    }

    synchronized void result(Result result) {
        response.addOutcomes(answered(0, result));
    }

    synchronized void error(int index, ToolgateException error) {
        response.addOutcomes(failed(index, error));
    }

    synchronized void progress(Progress progress) {
        heard.add(progress);
    }

    synchronized void outcome(dev.toolgate.sdk.Outcome outcome) {
        int index = outcome.index();
        var told = outcome.error().map(error -> failed(index, error)).orElseGet(() -> answered(index, outcome.get()));
        heard.stream().filter(progress -> progress.index() == index).forEach(p -> told.addProgress(p.proto()));
        response.addOutcomes(told);
    }

    synchronized void tools(ToolList tools) {
        var shapes = Map.of(
                "openai", tools.openai(),
                "openai_chat", tools.openaiChat(),
                "anthropic", tools.anthropic(),
                "gemini", tools.gemini(),
                "mcp", tools.mcp());
        shapes.forEach((name, shape) ->
                response.addShapes(Shape.newBuilder().setName(name).setJson(GSON.toJson(shape))));
    }

    synchronized void summary(RunSummary summary) {
        response.setCalls(summary.getCalls());
    }

    /** The calls that the move was to make and that have no outcome were cancelled. */
    synchronized void cancelled(int calls) {
        var told = response.getOutcomesList().stream().map(Outcome::getIndex).toList();
        for (int index = 0; index < calls; index++) {
            if (!told.contains(index)) {
                var rpc = RpcFailure.newBuilder().setCode("CANCELLED");
                response.addOutcomes(Outcome.newBuilder().setIndex(index).setRpc(rpc));
            }
        }
    }

    private static Outcome.Builder answered(int index, Result result) {
        var answered = Answered.newBuilder().setMessage(result.proto()).setText(result.text());
        return Outcome.newBuilder().setIndex(index).setResult(answered);
    }

    private static Outcome.Builder failed(int index, ToolgateException error) {
        var outcome = Outcome.newBuilder().setIndex(index);
        if (error instanceof ToolCallException failure) {
            return outcome.setFailed(failed(failure));
        }
        var rpc = (GatewayException) error;
        return outcome.setRpc(RpcFailure.newBuilder().setCode(rpc.code().name()).setReason(rpc.reason()));
    }

    private static Failed.Builder failed(ToolCallException error) {
        var failed = Failed.newBuilder()
                .setErrorClass(error.errorClass().name().toLowerCase(Locale.ROOT))
                .setCode(error.code())
                .setMessage(error.message())
                .setExhausted(error.exhausted())
                .setBlockedBy(error.blockedBy())
                .setUnblockWith(error.unblockWith())
                .setObservation(error.observation())
                .setError(error.proto());
        error.retryAfter().map(Told::seconds).ifPresent(failed::setRetryAfter);
        error.violations().forEach(violation -> failed.addViolations(message(violation)));
        error.alternatives().forEach(alternative -> failed.addAlternatives(message(alternative)));
        return failed;
    }

    private static double seconds(Duration wait) {
        return BigDecimal.valueOf(wait.getSeconds())
                .add(BigDecimal.valueOf(wait.getNano(), 9))
                .doubleValue();
    }

    private static dev.toolgate.v1.Violation message(Violation violation) {
        return dev.toolgate.v1.Violation.newBuilder()
                .setField(violation.field())
                .setValueJson(violation.valueJson())
                .setProblem(violation.problem())
                .addAllAccepted(violation.accepted())
                .setFormat(violation.format())
                .setRange(violation.range())
                .setAcceptedTruncated(violation.acceptedTruncated())
                .build();
    }

    private static dev.toolgate.v1.Alternative message(Alternative alternative) {
        return dev.toolgate.v1.Alternative.newBuilder()
                .setTool(alternative.tool())
                .setArgumentsJson(alternative.argumentsJson())
                .setLabel(alternative.label())
                .build();
    }
}
