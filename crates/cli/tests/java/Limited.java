import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that works 50 ms for each request, limited in the way of its first argument or not at
 * all, or that asks the system at the port of its second; it ends with its input.
 */
public final class Limited {
    private static final Semaphore PERMITS = new Semaphore(2);
    private static final ExecutorService TASKS = Executors.newFixedThreadPool(2);
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(4);
    private static final AtomicInteger ASKED = new AtomicInteger();
    /** Each worker has a connection of its own to a system that answers a byte with a byte. */
    private static final ThreadLocal<Socket> LEDGER = ThreadLocal.withInitial(Limited::connected);
    private static int ledgerPort;

    public static void main(String[] arguments) throws Exception {
        // Head and body go out at once: else the kernel may hold the body back, which is a finding.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        String how = arguments[0];
        if (how.equals("queue")) {
            new Thread(Limited::empty, "writer").start();
        }
        ledgerPort = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server = HttpServer.create(address, 0);
        int workers = how.equals("workers") ? 2 : 50;
        server.setExecutor(Executors.newFixedThreadPool(workers));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status(how), 2);
            try (var body = exchange.getResponseBody()) {
                body.write("ok".getBytes());
            }
        });
        server.start();
        System.out.println("port " + server.getAddress().getPort());
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    private static int status(String how) {
        try {
            switch (how) {
                case "permits" -> oneOfFew();
                case "tasks" -> TASKS.submit(Limited::work).get();
                case "queue" -> QUEUE.put(1);
                case "asks" -> {
                    LEDGER.get().getOutputStream().write(1);
                    LEDGER.get().getInputStream().read();
                }
                case "refuses" -> {
                    Thread.sleep(20);
                    return ASKED.incrementAndGet() % 3 == 0 ? 200 : 429;
                }
                default -> work();
            }
            return 200;
        } catch (Exception failed) {
            return 500;
        }
    }

    private static void oneOfFew() throws InterruptedException {
        PERMITS.acquire();
        try {
            work();
        } finally {
            PERMITS.release();
        }
    }

    private static void empty() {
        while (true) {
            work();
            QUEUE.poll();
        }
    }

    private static Socket connected() {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), ledgerPort);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void work() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
