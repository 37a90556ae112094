package io.plimsoll.lab;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"management.server.port=0", "lab.sessions=http"})
class HttpSessionsTest extends SessionFlow {

    @Override
    String cookieName() {
        return "JSESSIONID";
    }
}
