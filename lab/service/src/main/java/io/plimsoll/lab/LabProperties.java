package io.plimsoll.lab;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the lab itself. Tomcat's and Spring's own settings keep their own names, so that what
 * is learnt here holds for any Spring Boot service.
 *
 * @param hello settings of {@code /hello}
 * @param login settings of {@code /login}
 * @param sessions where sessions are kept
 * @param sessionStore bounds of the in-memory session store
 * @param orderStore bounds of the order store
 * @param remote the system behind this one
 */
@ConfigurationProperties("lab")
public record LabProperties(
        @DefaultValue Hello hello,
        @DefaultValue Login login,
        @DefaultValue("memory") SessionMode sessions,
        @DefaultValue Bounds sessionStore,
        @DefaultValue Bounds orderStore,
        @DefaultValue Remote remote) {

    /** Where sessions are kept. */
    public enum SessionMode {
        /** In a map of the lab, bounded in size and age: load cannot fill the heap. */
        MEMORY,
        /** In Tomcat's HttpSession, unbounded and 30 minutes old at most, as in field case F08. */
        HTTP
    }

    /** @param sleepMs how long {@code /hello} sleeps when the request does not say, in ms */
    public record Hello(@DefaultValue("600") long sleepMs) {
        public Hello {
            requireRange("lab.hello.sleep-ms", sleepMs, 0, Limits.MAX_DELAY_MS);
        }
    }

    /** @param passwordPrefix a user's password is this prefix followed by the user's name */
    public record Login(@DefaultValue("secret-") String passwordPrefix) {}

    /**
     * @param maxEntries entries kept; the one used longest ago leaves first
     * @param timeToLive how long an unused entry is kept
     */
    public record Bounds(
            @DefaultValue("20000") int maxEntries, @DefaultValue("30m") Duration timeToLive) {
        public Bounds {
            requireRange("max-entries", maxEntries, 1, 1_000_000);
            if (timeToLive.isNegative() || timeToLive.isZero()) {
                throw new IllegalArgumentException("time-to-live must be more than 0");
            }
        }
    }

    /**
     * @param url where the system behind this one is; none if absent
     * @param maxConnections connections kept to it at most; a request that finds none free waits
     * @param timeoutMs how long to wait for a connection, and for each part of an answer, in ms
     */
    public record Remote(
            String url, @DefaultValue("200") int maxConnections, @DefaultValue("10000") long timeoutMs) {
        public Remote {
            requireRange("lab.remote.max-connections", maxConnections, 1, 10_000);
            requireRange("lab.remote.timeout-ms", timeoutMs, 1, Limits.MAX_DELAY_MS);
        }
    }

    private static void requireRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", but must be from " + min + " to " + max);
        }
    }
}
