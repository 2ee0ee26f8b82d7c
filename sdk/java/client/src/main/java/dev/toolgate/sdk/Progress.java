package dev.toolgate.sdk;

import dev.toolgate.v1.CallProgress;

/**
 * What the gateway does while the caller waits: for people and logs.
 *
 * @param index of the call in the list
 * @param proto the whole message
 */
public record Progress(int index, CallProgress proto) {}
