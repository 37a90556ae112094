package io.plimsoll.lab;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The templates of lab/faults compile, and behave with and without their fault as their table says. */
class TemplatesTest {

    private static final Set<String> WITH_DATABASE_OR_REDIS = Set.of(
            "conversions", "count_query", "key_reads", "n_gets", "remote_in_transaction", "slow_json");
    private static final String BROWSER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
            + "(KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

    /** How long what must come may take on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path work;

    private static String javacSaid;
    private static URLClassLoader classes;
    private static PartnerStub partner;
    private static Instance faulty;
    private static Instance sound;

    /** A running service with the templates that need no other tier. */
    private record Instance(ConfigurableApplicationContext context, LabClient client) {

        static Instance start(String fault) {
            String packages = packages();
            DefaultResourceLoader resources = new DefaultResourceLoader(classes);
            Thread.currentThread().setContextClassLoader(classes);
            ConfigurableApplicationContext context = new SpringApplicationBuilder(LabApplication.class)
                    .resourceLoader(resources)
                    .run("--server.port=0", "--management.server.port=-1", "--spring.main.lazy-initialization=true",
                            "--server.tomcat.mbeanregistry.enabled=false", "--lab.generated.package=" + packages,
                            "--lab.fault=" + fault, "--lab.remote.url=" + partner.url(), "--lab.fault.port=0",
                            "--lab.fault.file=" + work.resolve(fault + ".journal"), "--lab.fault.rotate-bytes=300");
            int port = ((ServletWebServerApplicationContext) context).getWebServer().getPort();
            return new Instance(context, new LabClient(port));
        }

        private static String packages() {
            try {
                return Templates.names().stream()
                        .filter(name -> !WITH_DATABASE_OR_REDIS.contains(name))
                        .map(Templates::packageOf)
                        .collect(Collectors.joining(","));
            } catch (IOException problem) {
                throw new AssertionError(problem);
            }
        }

        String get(String path, String... headers) {
            try {
                HttpResponse<byte[]> answer = client.get(path, headers);
                assertThat(answer.statusCode()).as(path).isEqualTo(200);
                return new String(answer.body(), StandardCharsets.UTF_8);
            } catch (IOException | InterruptedException problem) {
                throw new AssertionError(problem);
            }
        }

        Object field(String template, String name) throws ReflectiveOperationException {
            Class<?> type = classes.loadClass(Templates.packageOf(template) + "." + Templates.classOf(template));
            return value(context.getBean(type), name);
        }
    }

    @BeforeAll
    static void start() throws IOException {
        Path generated = Files.createDirectory(work.resolve("classes"));
        javacSaid = Templates.compile(Templates.names(), work.resolve("sources"), generated);
        classes = new URLClassLoader(new URL[] {generated.toUri().toURL()}, TemplatesTest.class.getClassLoader());
        partner = new PartnerStub();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try {
            faulty = Instance.start("on");
            sound = Instance.start("off");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (Instance instance : new Instance[] {faulty, sound}) {
            if (instance != null) {
                instance.context().close();
            }
        }
        partner.close();
        classes.close();
    }

    @Test
    void allCompileWithoutAWarningAndNoPlaceholderIsLeft() throws IOException {
        assertThat(javacSaid).isEmpty();
        for (String template : Templates.names()) {
            assertThat(Templates.fill(template)).as(template).doesNotContain("{{").doesNotContain("}}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock_synchronized", "lock_reentrant"})
    void aLockLetsOneRequestToThePartnerAtATime(String template) throws Exception {
        int users = 4;
        partner.gather(users);
        List<CompletableFuture<String>> answers = together(users, sound, "/" + template + "/7");
        for (CompletableFuture<String> answer : answers) { // all of them were with the partner at once
            assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("answer to /price/7");
        }

        partner.gather(2); // two never come together: the partner is left with one
        answers = together(users, faulty, "/" + template + "/7");
        List<CompletableFuture<String>> all = answers;
        for (int left = users; left > 0; left--) {
            int expected = left;
            await(() -> partner.waiting() == 1
                    && all.stream().filter(answer -> !answer.isDone()).count() == expected);
            partner.release();
        }
        partner.gather(1);
    }

    @Test
    void answersOfThePartnerAreKeptOrNot() {
        int before = partner.calls();
        assertThat(sound.get("/remote_call/3")).isEqualTo(sound.get("/remote_call/3"));
        assertThat(partner.calls() - before).isEqualTo(1);
        assertThat(faulty.get("/remote_call/3")).isEqualTo(faulty.get("/remote_call/3"));
        assertThat(partner.calls() - before).isEqualTo(3);
    }

    @Test
    void aRelayPassesOnWhatTheNextSystemSays() throws Exception {
        assertThat(sound.get("/via/json?size=small&x=%20")).isEqualTo("answer to /json?size=small&x=%20");
        assertThat(sound.client().get("/via/missing").statusCode()).isEqualTo(404);
    }

    @Test
    void linesAreLoggedAtTheirLevelAlone() {
        Logger logger = (Logger) LoggerFactory.getLogger(Templates.packageOf("log_level"));
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setAdditive(false);
        logger.addAppender(lines);
        logger.setLevel(Level.DEBUG);
        String loud = faulty.get("/log_level/7");
        assertThat(lines.list).hasSize(20);
        logger.setLevel(Level.INFO);
        assertThat(faulty.get("/log_level/7")).isEqualTo(loud);
        assertThat(lines.list).hasSize(20);
    }

    @Test
    void aSessionIsMadeForEachRequestOrForNone() throws Exception {
        assertThat(faulty.client().get("/session_leak/7").headers().firstValue("set-cookie")).isPresent();
        assertThat(sound.client().get("/session_leak/7").headers().firstValue("set-cookie")).isEmpty();
        assertThat(faulty.client().get("/status/200").headers().firstValue("set-cookie")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/repeated_parsing/7", "/cpu_work/7", "/allocation/7"})
    void theAnswerIsTheSameWithAndWithoutTheFault(String path) {
        assertThat(faulty.get(path, "User-Agent", BROWSER)).isEqualTo(sound.get(path, "User-Agent", BROWSER));
    }

    @Test
    void theBrowserIsRecognised() {
        assertThat(sound.get("/repeated_parsing/7", "User-Agent", BROWSER)).contains("Chrome").contains("Windows");
    }

    @Test
    void theJournalGrowsOrIsRotated() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(new String(faulty.client().post("/journal/7", "").body(), StandardCharsets.UTF_8)).startsWith("booked");
            assertThat(new String(sound.client().post("/journal/7", "").body(), StandardCharsets.UTF_8)).startsWith("booked");
        }
        assertThat(Files.size(work.resolve("on.journal"))).isGreaterThan(600);
        assertThat(Files.size(work.resolve("off.journal"))).isLessThan(400);
        assertThat(work.resolve("off.journal.1")).exists();
    }

    @Test
    void aSocketIsClosedWhenTheDeviceLeavesOrNever() throws Exception {
        for (Instance instance : List.of(faulty, sound)) {
            Set<?> connected = (Set<?>) value(instance.field("raw_server", "devices"), "sockets");
            int port = ((ServerSocket) instance.field("raw_server", "server")).getLocalPort();
            int connections = 3;
            for (int i = 0; i < connections; i++) {
                try (Socket device = new Socket("127.0.0.1", port)) {
                    device.getOutputStream().write("GET /7 HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    device.shutdownOutput();
                    // To the last byte: else closing resets the connection, and there is nothing to close.
                    assertThat(readTo("price known\n", device)).startsWith("HTTP/1.1 200 OK");
                }
            }
            int left = instance == faulty ? connections : 0;
            await(() -> connected.size() == left);
        }
    }

    private static List<CompletableFuture<String>> together(int users, Instance instance, String path) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            answers.add(CompletableFuture.supplyAsync(() -> instance.get(path), task -> new Thread(task).start()));
        }
        return answers;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
            Thread.sleep(2);
        }
    }

    private static String readTo(String end, Socket socket) throws IOException {
        StringBuilder said = new StringBuilder();
        for (int next = 0; next >= 0 && said.indexOf(end) < 0; said.append((char) next)) {
            next = socket.getInputStream().read();
        }
        return said.toString();
    }

    private static Object value(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
