package dev.toolgate.tool;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.toolgate.v1.CallToolRequest;
import dev.toolgate.v1.ToolCall;
import dev.toolgate.v1.ToolError;
import dev.toolgate.v1.ToolGatewayServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A gateway as it is built, in front of the tools of a catalogue. */
final class Gateway implements AutoCloseable {
    private final Process process;
    private final ManagedChannel channel;

    Gateway(Path folder, String catalog) throws IOException {
        Path file = Files.writeString(folder.resolve("catalog.yaml"), catalog);
        String program = Objects.requireNonNullElse(System.getenv("TOOLGATE"), "../../../.bin/toolgate");
        process = new ProcessBuilder(
                        program,
                        "serve",
                        "--catalog",
                        file.toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--admin-listen",
                        "",
                        "--http-listen",
                        "")
                .start();
        channel = NettyChannelBuilder.forTarget(address()).usePlaintext().build();
    }

    private String address() throws IOException {
        BufferedReader log = process.errorReader();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            JsonObject told = JsonParser.parseString(line).getAsJsonObject();
            if (told.get("msg").getAsString().equals("serving")) {
                Thread drain = new Thread(() -> drain(log));
                drain.setDaemon(true);
                drain.start();
                return told.get("grpc").getAsString();
            }
        }
        throw new IOException("the gateway ended");
    }

    private static void drain(BufferedReader log) {
        try {
            log.transferTo(Writer.nullWriter());
        } catch (IOException closed) {
            return; // with the gateway
        }
    }

    /** What comes of a call that fails. */
    ToolError call(String tool, String arguments) {
        return ToolGatewayServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(20, TimeUnit.SECONDS)
                .callTool(CallToolRequest.newBuilder()
                        .setRunId("r")
                        .setCall(ToolCall.newBuilder().setTool(tool).setArgumentsJson(arguments))
                        .build())
                .getError();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        process.destroy();
    }
}
