package dev.toolgate.sdk;

import java.util.Optional;

/** How one call of several ended: with a result or with an error. */
public final class Outcome {
    private final int index;
    private final Result result;
    private final ToolgateException error;

    private Outcome(int index, Result result, ToolgateException error) {
        this.index = index;
        this.result = result;
        this.error = error;
    }

    static Outcome answered(int index, Result result) {
        return new Outcome(index, result, null);
    }

    static Outcome failed(int index, ToolgateException error) {
        return new Outcome(index, null, error);
    }

    /** The call's place in the list, from 0. */
    public int index() {
        return index;
    }

    /** The result, if there is one. */
    public Optional<Result> result() {
        return Optional.ofNullable(result);
    }

    /** The error, if there is no result. */
    public Optional<ToolgateException> error() {
        return Optional.ofNullable(error);
    }

    /** Returns the result or throws the error, as {@code call} does. */
    public Result get() {
        if (error != null) {
            throw error;
        }
        return result;
    }

    @Override
    public String toString() {
        return index + ": " + (error == null ? result.text() : error.getMessage());
    }
}
