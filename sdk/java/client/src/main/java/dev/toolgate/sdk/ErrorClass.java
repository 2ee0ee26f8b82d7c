package dev.toolgate.sdk;

/**
 * What to do next. It is the one thing to branch on, and there are no others: a class that this client does not know
 * reads as {@link #TERMINAL}.
 */
public enum ErrorClass {
    /** The call is fine, the moment is wrong: wait, send the identical call. */
    TRANSIENT,
    /** The arguments are wrong: change them. */
    INVALID_REQUEST,
    /** This call is over: take an alternative, unblock it, or report. */
    TERMINAL;

    static ErrorClass of(dev.toolgate.v1.ErrorClass wire) {
        return switch (wire) {
            case ERROR_CLASS_TRANSIENT -> TRANSIENT;
            case ERROR_CLASS_INVALID_REQUEST -> INVALID_REQUEST;
            default -> TERMINAL;
        };
    }
}
