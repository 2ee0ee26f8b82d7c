package dev.toolgate.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.observability.api.event.AiServiceResponseReceivedEvent;
import dev.langchain4j.observability.api.listener.AiServiceCompletedListener;
import dev.langchain4j.observability.api.listener.AiServiceErrorListener;
import dev.langchain4j.observability.api.listener.AiServiceResponseReceivedListener;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.tool.ToolErrorHandlerResult;
import dev.langchain4j.service.tool.ToolExecutionErrorHandler;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.toolgate.sdk.Client;
import dev.toolgate.sdk.Run;
import dev.toolgate.sdk.ToolgateException;
import dev.toolgate.v1.Tool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The tools that a caller may use, for AI services: {@code tools.addTo(AiServices.builder(Assistant.class))}. Each
 * invocation of a service is a run of its own, which ends with it.
 *
 * <p>The model reads the gateway's words: a result as it is, a failure as its observation, marked as an error. A
 * transient failure is waited out of its sight. The calls of one turn go out together, so that one mistake made five
 * times counts once; a tool that does not exist is answered by the gateway as well. A failed rpc, which is no tool's
 * fault, ends the invocation with a {@link dev.toolgate.sdk.GatewayException}. It is safe for concurrent use.
 */
public final class ToolgateTools implements ToolProvider {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Client client;
    private final Duration patience;
    private final Map<UUID, Turn> turns = new ConcurrentHashMap<>(); // the latest of each invocation

    private ToolgateTools(Client client, Duration patience) {
        this.client = Objects.requireNonNull(client, "client");
        this.patience = Objects.requireNonNull(patience, "patience");
    }

    /** The tools of a gateway. Transient failures are waited out for 30 seconds a turn. The client stays open. */
    public static ToolgateTools of(Client client) {
        return new ToolgateTools(client, PATIENCE);
    }

    /** With another limit for what the transient failures of one turn are waited out, in all; zero: not at all. */
    public ToolgateTools withPatience(Duration limit) {
        return new ToolgateTools(client, limit);
    }

    /**
     * Gives a service these tools, and answers of its model's mistakes as described above. Beside them the service may
     * have tools of its own: their exceptions are told to the model as LangChain4j does.
     */
    public <T> AiServices<T> addTo(AiServices<T> services) {
        return addTo(services, (error, context) -> {
            String message = error.getMessage();
            boolean silent = message == null || message.isBlank();
            return ToolErrorHandlerResult.text(silent ? error.getClass().getName() : message);
        });
    }

    /** As {@link #addTo(AiServices)}, with a handler for the exceptions of the service's own tools. */
    public <T> AiServices<T> addTo(AiServices<T> services, ToolExecutionErrorHandler ownTools) {
        AiServiceResponseReceivedListener received = this::begin;
        AiServiceCompletedListener completed = event -> end(event.invocationContext());
        AiServiceErrorListener failed = event -> end(event.invocationContext());
        return services.toolProvider(this)
                .hallucinatedToolNameStrategy(this::unknown)
                .toolExecutionErrorHandler((error, context) -> {
                    if (error instanceof ToolgateException broken) {
                        throw broken; // no model can do anything about it
                    }
                    return ownTools.handle(error, context);
                })
                .registerListeners(received, completed, failed);
    }

    /** The tools of the moment; LangChain4j asks for them at the beginning of each invocation. */
    @Override
    public ToolProviderResult provideTools(ToolProviderRequest request) {
        ToolProviderResult.Builder tools = ToolProviderResult.builder();
        for (Tool tool : client.listTools()) {
            tools.add(Specifications.of(tool), new Executor());
        }
        return tools.build();
    }

    /** The model has asked for calls: those of the gateway's tools, and of tools that nobody has, are one turn. */
    private void begin(AiServiceResponseReceivedEvent event) {
        UUID id = event.invocationContext().invocationId();
        List<ToolExecutionRequest> requests = event.response().aiMessage().toolExecutionRequests();
        if (requests == null || requests.isEmpty()) {
            turns.remove(id);
            return;
        }
        Set<String> others = event.request().toolSpecifications().stream()
                .filter(tool -> !Specifications.isOurs(tool))
                .map(ToolSpecification::name)
                .collect(Collectors.toSet());
        List<ToolExecutionRequest> ours = requests.stream()
                .filter(request -> !others.contains(request.name()))
                .toList();
        turns.put(id, new Turn(run(id), patience, ours));
    }

    private void end(InvocationContext invocation) {
        turns.remove(invocation.invocationId());
        run(invocation.invocationId()).close();
    }

    private Run run(UUID invocation) {
        return client.run(invocation.toString());
    }

    private ToolExecutionResult execute(ToolExecutionRequest request, UUID invocation) {
        Turn turn = turns.get(invocation);
        if (turn == null || !turn.has(request)) { // streamed, and run before the answer was complete
            turn = new Turn(run(invocation), patience, List.of(request));
        }
        return turn.result(request);
    }

    /** LangChain4j would end the invocation. */
    private ToolExecutionResultMessage unknown(ToolExecutionRequest request) {
        Turn turn = turns.values().stream()
                .filter(one -> one.has(request))
                .findFirst()
                .orElseGet(() -> new Turn(client.run(), patience, List.of(request)));
        return ToolExecutionResultMessage.from(request, Answers.text(turn.result(request)));
    }

    private final class Executor implements ToolExecutor {
        @Override
        public ToolExecutionResult executeWithContext(ToolExecutionRequest request, InvocationContext context) {
            UUID invocation = context == null ? null : context.invocationId();
            try {
                return ToolgateTools.this.execute(request, invocation == null ? UUID.randomUUID() : invocation);
            } catch (ToolgateException broken) {
                throw new IllegalStateException(broken); // handlers are given the cause
            }
        }

        /** For whoever has no invocation: a run of its own. */
        @Override
        public String execute(ToolExecutionRequest request, Object memoryId) {
            return Answers.text(executeWithContext(request, null));
        }
    }
}
