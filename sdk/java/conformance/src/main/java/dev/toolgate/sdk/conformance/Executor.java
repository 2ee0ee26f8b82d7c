package dev.toolgate.sdk.conformance;

import dev.toolgate.conformance.v1.Action;
import dev.toolgate.conformance.v1.Connection;
import dev.toolgate.conformance.v1.ExecuteRequest;
import dev.toolgate.conformance.v1.ExecuteResponse;
import dev.toolgate.sdk.Client;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The executor of the Java SDK: it makes the moves that toolgate-conformance asks for. See
 * proto/toolgate/conformance/v1. With --async it uses the futures.
 */
public final class Executor {
    private Executor() {}

    /** Makes moves until the input ends. */
    public static void main(String[] args) throws IOException {
        var root = Logger.getLogger("");
        root.setLevel(Level.OFF);
        Moves moves = List.of(args).contains("--async") ? new FutureMoves() : new BlockingMoves();
        while (true) {
            var request = ExecuteRequest.parseDelimitedFrom(System.in);
            if (request == null) {
                return;
            }
            move(moves, request).writeDelimitedTo(System.out);
            System.out.flush();
        }
    }

    private static ExecuteResponse move(Moves moves, ExecuteRequest request) {
        var response = ExecuteResponse.newBuilder();
        try (Client client = connect(request.getConnection(), request.getAction())) {
            moves.make(client, request, new Told(response));
        } catch (Exception broken) { // the runner is told, whatever it is
            response.setBroken(broken.toString());
        }
        return response.build();
    }

    private static Client connect(Connection connection, Action action) {
        var builder = Client.builder(connection.getTarget());
        if (!connection.getCaPem().isEmpty()) {
            builder.trust(connection.getCaPem());
        }
        if (!connection.getToken().isEmpty()) {
            builder.token(connection.getToken());
        }
        if (action.getDeadline() > 0) {
            builder.deadline(seconds(action.getDeadline()));
        }
        return builder.build();
    }

    static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
