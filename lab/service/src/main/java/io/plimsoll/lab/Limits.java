package io.plimsoll.lab;

/** Upper bounds of what one request may ask for, so that a mistyped plan cannot fill the heap. */
final class Limits {

    /** Longest sleep or slow answer, in ms. */
    static final long MAX_DELAY_MS = 600_000;

    /** Largest body read or generated, in bytes. */
    static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

    /** Longest chain of {@code /redirect}. */
    static final int MAX_REDIRECTS = 100;

    private Limits() {}

    /**
     * Returns the value if it lies in the range.
     *
     * @throws ApiException 400 naming the parameter and the range
     */
    static long require(String parameter, long value, long min, long max) {
        if (value < min || value > max) {
            throw ApiException.badRequest(
                    parameter + " is " + value + ", but must be from " + min + " to " + max);
        }
        return value;
    }
}
