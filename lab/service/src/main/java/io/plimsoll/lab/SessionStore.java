package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;

/** Keeps sessions and ties them to the client by a cookie. */
interface SessionStore {

    /** Keeps the session and sets its cookie. */
    void create(LabSession session, HttpServletRequest request, HttpServletResponse response);

    /** The session named by the request's cookie, if it is still kept. */
    Optional<LabSession> find(HttpServletRequest request);

    /** Forgets the session named by the request's cookie and deletes the cookie. */
    void remove(HttpServletRequest request, HttpServletResponse response);
}
