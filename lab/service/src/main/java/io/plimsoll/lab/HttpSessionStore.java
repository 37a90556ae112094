package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Sessions in Tomcat's HttpSession, as most services keep them: each login without a logout stays
 * until its time-out (field case F08).
 */
@Component
@ConditionalOnProperty(name = "lab.sessions", havingValue = "http")
class HttpSessionStore implements SessionStore {

    private static final String ATTRIBUTE = LabSession.class.getName();

    @Override
    public void create(LabSession session, HttpServletRequest request, HttpServletResponse response) {
        request.getSession(true).setAttribute(ATTRIBUTE, session);
    }

    @Override
    public Optional<LabSession> find(HttpServletRequest request) {
        return Optional.ofNullable(request.getSession(false))
                .map(session -> (LabSession) session.getAttribute(ATTRIBUTE));
    }

    @Override
    public void remove(HttpServletRequest request, HttpServletResponse response) {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.invalidate();
        }
    }
}
