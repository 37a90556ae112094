package io.plimsoll.lab;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The system behind the service; answers when as many requests wait as it was told to gather. */
final class PartnerStub implements AutoCloseable {

    private final List<HttpExchange> waiting = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private int gather = 1;
    private int calls;

    PartnerStub() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::arrived);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized int calls() {
        return calls;
    }

    synchronized int waiting() {
        return waiting.size();
    }

    /** From now on answers go out once so many requests wait, and those that wait now with them. */
    synchronized void gather(int requests) throws IOException {
        gather = requests;
        answerIfComplete();
    }

    /** Answers those that wait now. */
    synchronized void release() throws IOException {
        answerAll();
    }

    private synchronized void arrived(HttpExchange exchange) throws IOException {
        calls++;
        waiting.add(exchange);
        answerIfComplete();
    }

    private void answerIfComplete() throws IOException {
        if (waiting.size() >= gather) {
            answerAll();
        }
    }

    private void answerAll() throws IOException {
        for (HttpExchange exchange : waiting) {
            byte[] body = ("answer to " + exchange.getRequestURI()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            boolean missing = exchange.getRequestURI().getPath().equals("/missing");
            exchange.sendResponseHeaders(missing ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }
        waiting.clear();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
