import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;

/** A server at the port of its first argument whose work is done by the common pool: 10 ms for each request. */
public final class Small {
    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(32));
        server.createContext("/", exchange -> {
            ForkJoinPool.commonPool().submit(Small::work).join();
            exchange.sendResponseHeaders(200, 2);
            try (var body = exchange.getResponseBody()) {
                body.write("ok".getBytes());
            }
        });
        server.start();
    }

    private static void work() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
