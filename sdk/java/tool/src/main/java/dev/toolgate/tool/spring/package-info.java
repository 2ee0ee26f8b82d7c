/**
 * Failures of tools in Spring Boot: an application that has this library on its class path answers
 * every failure with the canonical body. A {@link dev.toolgate.tool.ToolFailure} is answered as it
 * says; what Spring refuses by itself (arguments that can't be read, are missing or not valid) with
 * the field and what is accepted; any other exception without a word of it.
 *
 * <p>Handlers of the application's own come before, but for those of ToolFailure. {@code
 * toolgate.tool.enabled=false} switches all of it off.
 */
package dev.toolgate.tool.spring;
