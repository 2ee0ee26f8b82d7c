package dev.toolgate.sdk;

/** A call that brought no result: the tool's failure, or one of everything between it and this program. */
public abstract sealed class ToolgateException extends RuntimeException permits ToolCallException, GatewayException {
    private static final long serialVersionUID = 1;

    ToolgateException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The same failure with the stack of the thread that waited for it. */
    abstract ToolgateException here();
}
