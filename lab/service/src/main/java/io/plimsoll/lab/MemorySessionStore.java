package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/** Sessions in a bounded map: however long a load runs, the heap does not fill. */
@Component
@ConditionalOnProperty(name = "lab.sessions", havingValue = "memory", matchIfMissing = true)
class MemorySessionStore implements SessionStore {

    static final String COOKIE = "LABSESSION";

    private final ExpiringLruMap<String, LabSession> sessions;

    MemorySessionStore(LabProperties properties) {
        LabProperties.Bounds bounds = properties.sessionStore();
        this.sessions = new ExpiringLruMap<>(bounds.maxEntries(), bounds.timeToLive(), System::nanoTime);
    }

    @Override
    public void create(LabSession session, HttpServletRequest request, HttpServletResponse response) {
        String id = Ids.random();
        sessions.put(id, session);
        setCookie(response, id, Duration.ofSeconds(-1)); // until the client ends
    }

    @Override
    public Optional<LabSession> find(HttpServletRequest request) {
        return sessionId(request).flatMap(sessions::get);
    }

    @Override
    public void remove(HttpServletRequest request, HttpServletResponse response) {
        sessionId(request).ifPresent(sessions::remove);
        setCookie(response, "", Duration.ZERO);
    }

    private static Optional<String> sessionId(HttpServletRequest request) {
        return Optional.ofNullable(EchoController.cookies(request).get(COOKIE));
    }

    private static void setCookie(HttpServletResponse response, String value, Duration maxAge) {
        ResponseCookie cookie = ResponseCookie.from(COOKIE, value)
                .path("/")
                .httpOnly(true)
                .sameSite("Lax")
                .maxAge(maxAge)
                .build();
        response.addHeader(HttpHeaders.SET_COOKIE, cookie.toString());
    }
}
