package dev.toolgate.sdk.conformance;

/** Makes the moves. */
public final class Executor {
    private Executor() {}
}
