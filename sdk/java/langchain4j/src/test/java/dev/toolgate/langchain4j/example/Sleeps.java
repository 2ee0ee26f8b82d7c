package dev.toolgate.langchain4j.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Counts how long this program's threads slept, as the JVM records it: a machine that is slow does not sleep. */
final class Sleeps {
    private static final String EVENT = "jdk.ThreadSleep";
    private static final Duration SHORTEST = Duration.ofMillis(50);

    private final Recording recording = new Recording();

    private Sleeps() {
        recording.enable(EVENT).withThreshold(SHORTEST);
        recording.start();
    }

    static Sleeps counted() {
        return new Sleeps();
    }

    /** Ends the counting: what was asked for, by all sleeps together. */
    Duration end() throws IOException {
        Path file = Files.createTempFile("sleeps", ".jfr");
        try (recording) {
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(EVENT))
                    .map(RecordedEvent::getDuration)
                    .reduce(Duration.ZERO, Duration::plus);
        } finally {
            Files.delete(file);
        }
    }
}
