package io.plimsoll.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"management.server.port=0", "lab.session-store.max-entries=3"})
class MemorySessionsTest extends SessionFlow {

    @Override
    String cookieName() {
        return MemorySessionStore.COOKIE;
    }

    @Test
    void theSessionUsedLongestAgoMakesRoom() throws Exception {
        Login first = login("u1");
        Login second = login("u2");
        Login third = login("u3");
        assertThat(statusWith(first)).isEqualTo(200);
        login("u4");
        assertThat(statusWith(second)).isEqualTo(401);
        assertThat(statusWith(first)).isEqualTo(200);
        assertThat(statusWith(third)).isEqualTo(200);
    }
}
