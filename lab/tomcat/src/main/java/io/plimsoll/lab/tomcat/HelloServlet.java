package io.plimsoll.lab.tomcat;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** {@code /hello?sleep=600}, as in the Spring service: holds its thread for so many ms. */
final class HelloServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;
    private static final long MAX_SLEEP_MS = 600_000;

    private final long defaultSleepMs;

    HelloServlet(long defaultSleepMs) {
        this.defaultSleepMs = defaultSleepMs;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String asked = request.getParameter("sleep");
        long sleepMs = asked == null ? defaultSleepMs : asked.matches("\\d{1,6}") ? Long.parseLong(asked) : -1;
        if (sleepMs < 0 || sleepMs > MAX_SLEEP_MS) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "sleep must be from 0 to " + MAX_SLEEP_MS);
            return;
        }
        try {
            if (sleepMs > 0) {
                Thread.sleep(sleepMs);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        response.setContentType("text/plain");
        response.getWriter().print("Hello after " + sleepMs + " ms\n");
    }
}
