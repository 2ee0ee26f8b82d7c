/**
 * The client of a toolgate gateway.
 *
 * <p>A call ends in one of two ways: a {@link Result}, or an exception. A {@link ToolCallException} is the tool's
 * failure, and its {@link ToolCallException#errorClass() class} says what to do next:
 *
 * <ul>
 *   <li>{@link ErrorClass#TRANSIENT}: the moment is wrong. Wait {@code retryAfter}, send the identical call
 *       ({@code waitTransient} does both). Show the model nothing until you give up.
 *   <li>{@link ErrorClass#INVALID_REQUEST}: the arguments are wrong. Give {@code observation} to the model.
 *   <li>{@link ErrorClass#TERMINAL}: this call is over. Give {@code observation} to the model.
 * </ul>
 *
 * <p>A {@link GatewayException} is never the tool's fault: the gateway, the network or this program is.
 *
 * <p>The gateway retries what time cures, so nothing here does: gRPC's own retries are off.
 */
package dev.toolgate.sdk;
