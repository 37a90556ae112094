package io.plimsoll.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What the session flow does, whatever store keeps the sessions. */
abstract class SessionFlow {

    private static final String[] JSON = {"Content-Type", "application/json"};

    @LocalServerPort
    private int port;

    private final ObjectMapper json = new ObjectMapper();
    private LabClient lab;

    /** A client's state after a login. */
    record Login(String token, String cookie) {
        String[] headers() {
            return new String[] {
                "Content-Type", "application/json", "Authorization", "Bearer " + token, "Cookie", cookie
            };
        }
    }

    @BeforeEach
    void client() {
        lab = new LabClient(port);
    }

    /** Name of the cookie that the store sets. */
    abstract String cookieName();

    @Test
    void aUserLogsInOrdersAndLogsOut() throws Exception {
        Login login = login("alice");
        lab.post("/cart", "{\"sku\":\"anchor-1\",\"quantity\":2}", login.headers());
        JsonNode cart = read(lab.post("/cart", "{\"sku\":\"rope\"}", login.headers()), 200);
        assertThat(cart.get("cart_id").asText()).startsWith("C-");
        assertThat(cart.get("items")).hasSize(2);
        assertThat(cart.get("total").decimalValue()).isEqualByComparingTo(
                LabSession.price("anchor-1").add(LabSession.price("anchor-1")).add(LabSession.price("rope")));

        HttpResponse<byte[]> ordered = lab.post("/order", "", login.headers());
        JsonNode order = read(ordered, 201);
        String location = ordered.headers().firstValue("location").orElseThrow();
        assertThat(location).isEqualTo("/order/" + order.get("order_number").asLong());
        assertThat(order.get("total")).isEqualTo(cart.get("total"));
        assertThat(read(lab.get(location, login.headers()), 200)).isEqualTo(order);
        assertThat(error(lab.post("/order", "", login.headers()), 409)).isEqualTo("cart_empty");

        assertThat(error(lab.get(location, login("bob").headers()), 404)).isEqualTo("no_such_order");

        assertThat(lab.get("/logout", login.headers()).statusCode()).isEqualTo(200);
        assertThat(error(lab.get(location, login.headers()), 401)).isEqualTo("session_missing");
    }

    @Test
    void aFormLogsInToo() throws Exception {
        HttpResponse<byte[]> answer = lab.post("/login", "user=al%20ice&password=secret-al+ice",
                "Content-Type", "application/x-www-form-urlencoded");
        assertThat(read(answer, 200).get("user").asText()).isEqualTo("al ice");
    }

    @Test
    void theCookieIsHttpOnly() throws Exception {
        HttpResponse<byte[]> answer = lab.post("/login", credentials("carol"), JSON);
        assertThat(answer.headers().firstValue("set-cookie")).hasValueSatisfying(
                cookie -> assertThat(cookie).startsWith(cookieName() + "=").contains("HttpOnly"));
    }

    @Test
    void refusalsSayWhy() throws Exception {
        assertThat(error(lab.post("/login", "{\"user\":\"a\",\"password\":\"a\"}", JSON), 401)).isEqualTo("wrong_password");
        assertThat(error(lab.post("/login", "{\"user\":\"a\"}", JSON), 401)).isEqualTo("wrong_password");
        assertThat(error(lab.post("/login", "{}", JSON), 400)).isEqualTo("bad_request");
        assertThat(error(lab.post("/login", "{", JSON), 400)).isEqualTo("bad_request");
        assertThat(error(lab.post("/order", "", JSON), 401)).isEqualTo("token_missing");

        Login alice = login("alice");
        Login bob = login("bob");
        assertThat(error(lab.post("/order", "", "Authorization", "Bearer " + alice.token()), 401))
                .isEqualTo("session_missing");
        assertThat(error(lab.post("/order", "", new Login(alice.token(), bob.cookie()).headers()), 401))
                .isEqualTo("token_wrong");
        for (String body : new String[] {
            "{}", "{\"sku\":\"a b\"}", "{\"sku\":\"a\",\"quantity\":0}", "{\"sku\":\"a\",\"quantity\":\"many\"}", "null"
        }) {
            assertThat(error(lab.post("/cart", body, alice.headers()), 400)).as(body).isEqualTo("bad_request");
        }
        assertThat(error(lab.get("/order/999999", alice.headers()), 404)).isEqualTo("no_such_order");
    }

    @Test
    void aCartIsBounded() throws Exception {
        Login login = login("dora");
        for (int i = 0; i < LabSession.MAX_ITEMS; i++) {
            read(lab.post("/cart", "{\"sku\":\"item-" + i + "\"}", login.headers()), 200);
        }
        assertThat(error(lab.post("/cart", "{\"sku\":\"one-more\"}", login.headers()), 409)).isEqualTo("cart_full");
    }

    Login login(String user) throws Exception {
        HttpResponse<byte[]> answer = lab.post("/login", credentials(user), JSON);
        String cookie = answer.headers().firstValue("set-cookie").orElseThrow().split(";")[0];
        return new Login(read(answer, 200).get("token").asText(), cookie);
    }

    /** The status of a request that needs a session. */
    int statusWith(Login login) throws Exception {
        return lab.post("/cart", "{\"sku\":\"a\"}", login.headers()).statusCode();
    }

    private static String credentials(String user) {
        return "{\"user\":\"" + user + "\",\"password\":\"secret-" + user + "\"}";
    }

    private JsonNode read(HttpResponse<byte[]> answer, int status) throws Exception {
        assertThat(answer.statusCode()).isEqualTo(status);
        return json.readTree(answer.body());
    }

    private String error(HttpResponse<byte[]> answer, int status) throws Exception {
        JsonNode body = read(answer, status);
        assertThat(body.get("reason").asText()).isNotBlank();
        return body.get("error").asText();
    }
}
