package io.plimsoll.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;

@AutoConfigureObservability // else a test has no Prometheus endpoint
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"management.server.port=0", "lab.hello.sleep-ms=30"})
class HttpShapesTest {

    @LocalServerPort
    private int port;

    @LocalManagementPort
    private int managementPort;

    private final ObjectMapper json = new ObjectMapper();
    private LabClient lab;

    @BeforeEach
    void client() {
        lab = new LabClient(port);
    }

    @Test
    void helloSleepsAsLongAsAsked() throws Exception {
        long start = System.nanoTime();
        HttpResponse<byte[]> answer = lab.get("/hello?sleep=120");
        long elapsedMs = (System.nanoTime() - start) / 1_000_000;
        assertThat(text(answer)).isEqualTo("Hello after 120 ms\n");
        assertThat(elapsedMs).isGreaterThanOrEqualTo(120); // a lower bound: never early
    }

    @Test
    void helloSleepsAsLongAsTheSettingSaysByDefault() throws Exception {
        assertThat(text(lab.get("/hello"))).isEqualTo("Hello after 30 ms\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/hello?sleep=-1", "/hello?sleep=600001", "/hello?sleep=soon", "/json?size=huge", "/status/99",
        "/status/nine", "/redirect?times=0", "/redirect?times=101", "/redirect?code=200",
        "/redirect?to=%0D%0AX-Injected:1", "/slow-body?bytes=-1", "/slow-body?ms=-1", "/slow-body?bytes=16777217",
        "/cookie/set?name=a%3Bb", "/cookie/set?value=a%0D%0Ab"
    })
    void wrongParametersAreRefusedWithAReason(String path) throws Exception {
        HttpResponse<byte[]> answer = lab.get(path);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json.readTree(answer.body()).get("reason").asText()).isNotBlank();
        assertThat(answer.headers().map()).doesNotContainKey("x-injected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"})
    void echoSaysBackEveryMethodAndItsParts(String method) throws Exception {
        byte[] body = method.equals("GET") ? new byte[0] : "a=b&c=ü".getBytes(StandardCharsets.UTF_8);
        JsonNode echo = json.readTree(lab.send(method, "/echo/a%20b?q=1&q=%41", body,
                "X-One", "1", "X-One", "2", "Cookie", "k=v; l=w",
                "Content-Type", "application/x-www-form-urlencoded").body());
        assertThat(echo.get("method").asText()).isEqualTo(method);
        assertThat(echo.get("path").asText()).isEqualTo("/echo/a%20b");
        assertThat(echo.get("query").asText()).isEqualTo("q=1&q=%41");
        assertThat(echo.get("headers").get("x-one").asText()).isEqualTo("1, 2");
        assertThat(echo.get("cookies").get("l").asText()).isEqualTo("w");
        assertThat(echo.get("body_encoding").asText()).isEqualTo("text");
        assertThat(echo.get("body").asText()).isEqualTo(new String(body, StandardCharsets.UTF_8));
    }

    @Test
    void echoKeepsBytesThatAreNoText() throws Exception {
        byte[] body = {0, (byte) 0xff, (byte) 0xfe, 7};
        JsonNode echo = json.readTree(lab.send("POST", "/echo", body).body());
        assertThat(echo.get("body_encoding").asText()).isEqualTo("base64");
        assertThat(echo.get("body_bytes").asInt()).isEqualTo(4);
        assertThat(Base64.getDecoder().decode(echo.get("body").asText())).isEqualTo(body);
    }

    @Test
    void echoRefusesABodyOverTheLimit() throws Exception {
        assertThat(lab.send("POST", "/echo", new byte[Limits.MAX_BODY_BYTES + 1]).statusCode()).isEqualTo(413);
    }

    @Test
    void jsonBodiesAreValidAndFixed() throws Exception {
        byte[] small = lab.get("/json").body();
        byte[] large = lab.get("/json?size=large").body();
        assertThat(small).hasSizeBetween(250, 350).isEqualTo(lab.get("/json?size=small").body());
        assertThat(large).hasSize(JsonController.LARGE_BYTES);
        assertThat(json.readTree(small).get("items")).hasSize(json.readTree(small).get("count").asInt());
        assertThat(json.readTree(large).get("items")).hasSize(json.readTree(large).get("count").asInt());
    }

    @Test
    void redirectsCountDownToTheirTarget() throws Exception {
        String path = "/redirect?to=http%3A%2F%2F127.0.0.1%3A1%2Fx%3Fa%3Db%26c&times=3&code=307";
        for (int hop = 1; hop <= 3; hop++) {
            HttpResponse<byte[]> answer = lab.get(path);
            assertThat(answer.statusCode()).isEqualTo(307);
            path = answer.headers().firstValue("location").orElseThrow();
        }
        assertThat(path).isEqualTo("http://127.0.0.1:1/x?a=b&c");
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204, 304, 404, 418, 500, 503, 599})
    void statusAnswersWithTheCodeAsked(int code) throws Exception {
        assertThat(lab.get("/status/" + code).statusCode()).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({"0,0,false", "1,0,false", "30000,60,false", "30000,60,true", "3,100,true"})
    void slowBodyHasTheLengthAndTakesTheTime(int bytes, int ms, boolean chunked) throws Exception {
        long start = System.nanoTime();
        HttpResponse<byte[]> answer = lab.get("/slow-body?bytes=" + bytes + "&ms=" + ms + "&chunked=" + chunked);
        long elapsedMs = (System.nanoTime() - start) / 1_000_000;
        assertThat(answer.body()).hasSize(bytes);
        assertThat(answer.headers().firstValue("content-length").isPresent()).isEqualTo(!chunked);
        // The last slice is not followed by a wait: at least all steps but one (20 ms) have passed.
        assertThat(elapsedMs).isGreaterThanOrEqualTo(Math.max(0, ms - 20));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "gzip|true", "deflate, gzip;q=0.5|true", "GZIP|true", "identity|false", "gzip;q=0|false", "br, gzip ; q=0.0|false"
    })
    void gzipIsSentToThoseWhoAcceptIt(String acceptEncoding, boolean packed) throws Exception {
        HttpResponse<byte[]> answer = lab.get("/gzip", "Accept-Encoding", acceptEncoding);
        assertThat(answer.headers().firstValue("content-encoding").isPresent()).isEqualTo(packed);
        byte[] body = packed
                ? new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes()
                : answer.body();
        assertThat(body).isEqualTo(lab.get("/gzip").body()).hasSizeGreaterThan(10_000);
    }

    @Test
    void cookiesAreSetAndDeleted() throws Exception {
        assertThat(lab.get("/cookie/set?name=a&value=1&path=/x&max-age=60").headers().firstValue("set-cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie).startsWith("a=1; Path=/x; Max-Age=60"));
        assertThat(lab.get("/cookie/set?name=a&max-age=0").headers().firstValue("set-cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie).contains("Max-Age=0"));
        assertThat(text(lab.get("/cookie", "Cookie", "a=1; b=2"))).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
    }

    @Test
    void thePageEmbedsWhatItNames() throws Exception {
        String page = text(lab.get("/"));
        for (String resource : new String[] {"/style.css", "/script.js", "/logo.png"}) {
            assertThat(page).contains("\"" + resource + "\"");
            assertThat(lab.get(resource).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theManagementPortShowsSettingsAndTomcatsThreads() throws Exception {
        LabClient management = new LabClient(managementPort);
        assertThat(text(management.get("/actuator/health"))).contains("UP");
        JsonNode max = json.readTree(management.get("/actuator/metrics/tomcat.threads.config.max").body());
        assertThat(max.at("/measurements/0/value").asInt()).isEqualTo(200); // Tomcat's default, untouched
        assertThat(text(management.get("/actuator/prometheus"))).contains("tomcat_threads_busy_threads");
        assertThat(text(management.get("/actuator/configprops"))).contains("\"sleepMs\":30");
        for (String endpoint : new String[] {"info", "env", "loggers", "threaddump", "metrics"}) {
            assertThat(management.get("/actuator/" + endpoint).statusCode()).isEqualTo(200);
        }
        assertThat(lab.get("/actuator/health").statusCode()).isEqualTo(404);
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }
}
