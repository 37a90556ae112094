import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.Executors;
import javax.xml.parsers.DocumentBuilderFactory;

/**
 * A server and its own clients, for some seconds: each page parses a document again, or, when told to
 * be slow, waits its turn at a stock that one thread at a time may enter.
 */
public final class Shop {
    private static final int SECONDS = 3;
    private static final int CLIENTS = 6;
    private static final byte[] PRICES = prices();
    private static volatile int seen;

    public static void main(String[] arguments) throws Exception {
        Stock stock = new Stock();
        boolean slow = arguments.length > 0 && arguments[0].equals("slow");
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(CLIENTS));
        server.createContext("/", exchange -> {
            if (!slow) {
                Page.show();
            }
            stock.take(slow);
            exchange.sendResponseHeaders(200, 2);
            try (var body = exchange.getResponseBody()) {
                body.write("ok".getBytes());
            }
        });
        server.start();
        URL page = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        long until = System.nanoTime() + SECONDS * 1_000_000_000L;
        Thread[] clients = new Thread[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = new Thread(() -> visit(page, until));
            clients[i].start();
        }
        for (Thread client : clients) {
            client.join();
        }
        System.exit(0);
    }

    private static void visit(URL page, long until) {
        while (System.nanoTime() < until) {
            try (var body = ((HttpURLConnection) page.openConnection()).getInputStream()) {
                body.readAllBytes();
            } catch (java.io.IOException failed) {
                throw new java.io.UncheckedIOException(failed);
            }
        }
    }

    private static byte[] prices() {
        StringBuilder text = new StringBuilder("<prices>");
        for (int i = 0; i < 2_000; i++) {
            text.append("<price of=\"").append(i).append("\">").append(i % 97).append("</price>");
        }
        return text.append("</prices>").toString().getBytes();
    }

    private static final class Page {
        static void show() {
            try {
                var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
                seen = builder.parse(new ByteArrayInputStream(PRICES)).hashCode();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    private static final class Stock {
        synchronized void take(boolean slow) {
            if (slow) {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
