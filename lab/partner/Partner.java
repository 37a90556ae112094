import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A system of somebody else: answers every request after a delay, however many wait at once, and
 * costs hardly any CPU. Run it from its source; it listens on 127.0.0.1 and writes the port that the
 * kernel chose to a file.
 *
 * <p>{@code java Partner.java PORT_FILE DELAY_MS}
 */
public final class Partner {

    private static final int BACKLOG = 1_024;

    private Partner() {}

    public static void main(String[] args) throws IOException {
        if (args.length != 2 || !args[1].matches("\\d{1,6}")) {
            System.err.println("usage: java Partner.java PORT_FILE DELAY_MS");
            System.exit(2);
        }
        // Else an answer waits for the client's delayed acknowledgement, and connections kept are few.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        long delayMs = Long.parseLong(args[1]);
        ScheduledExecutorService later = Executors.newScheduledThreadPool(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            later.schedule(() -> answer(exchange), delayMs, TimeUnit.MILLISECONDS);
        });
        server.start();
        Path portFile = Path.of(args[0]);
        // Written aside and renamed: nobody reads half a number.
        Path aside = portFile.resolveSibling(portFile.getFileName() + ".new");
        Files.writeString(aside, Integer.toString(server.getAddress().getPort()));
        Files.move(aside, portFile, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void answer(HttpExchange exchange) {
        byte[] body = ("answer to " + exchange.getRequestURI().getPath() + "\n").getBytes(StandardCharsets.UTF_8);
        try (exchange; OutputStream out = exchange.getResponseBody()) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(200, body.length);
            out.write(body);
        } catch (IOException gone) {
            // The client left: nothing is owed to it.
        }
    }
}
