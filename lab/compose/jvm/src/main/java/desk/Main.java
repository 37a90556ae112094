package desk;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.undertow.Undertow;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Starts the service on the server that its settings name. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        DeskSettings settings = new ObjectMapper().readValue(new File(args[0]), DeskSettings.class);
        switch (settings.server()) {
            case "tomcat" -> tomcat(settings, new FrontDesk(settings));
            case "jetty" -> jetty(settings, new FrontDesk(settings));
            case "undertow" -> undertow(settings, new FrontDesk(settings));
            case "vertx" -> LoopServers.vertx(settings);
            case "webflux" -> LoopServers.webflux(settings);
            default -> own(settings, new FrontDesk(settings));
        }
    }

    private static void own(DeskSettings settings, FrontDesk desk) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        HttpServer server = HttpServer.create(new InetSocketAddress(settings.host(), settings.port()), 1024);
        ExecutorService pool = Executors.newFixedThreadPool(settings.threads());
        Executor noting = task -> {
            long handed = System.nanoTime();
            pool.execute(() -> {
                DeskVisit.HANDED.set(handed);
                task.run();
                DeskVisit.HANDED.remove();
            });
        };
        server.setExecutor(noting);
        server.createContext("/", exchange -> {
            FrontDesk.Reply reply = desk.serve(exchange.getRequestURI().getPath());
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(reply.status(), reply.body().length);
            try (exchange; OutputStream out = exchange.getResponseBody()) {
                out.write(reply.body());
            }
        });
        server.start();
    }

    private static void tomcat(DeskSettings settings, FrontDesk desk) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(settings.directory());
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setProperty("address", settings.host());
        connector.setPort(settings.port());
        connector.setProperty("maxThreads", String.valueOf(settings.threads()));
        connector.setProperty("minSpareThreads", String.valueOf(Math.min(settings.threads(), 10)));
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "desk", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                FrontDesk.Reply reply = desk.serve(request.getRequestURI());
                response.setStatus(reply.status());
                response.setContentType("text/plain");
                response.setContentLength(reply.body().length);
                response.getOutputStream().write(reply.body());
            }
        });
        context.addServletMappingDecoded("/*", "desk");
        tomcat.start();
        tomcat.getServer().await();
    }

    private static void jetty(DeskSettings settings, FrontDesk desk) throws Exception {
        // Selectors and acceptors have threads of the same pool.
        Server server = new Server(new QueuedThreadPool(settings.threads() + 3, Math.min(settings.threads(), 8)));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                FrontDesk.Reply reply = desk.serve(request.getHttpURI().getPath());
                response.setStatus(reply.status());
                response.getHeaders().put("Content-Type", "text/plain");
                response.write(true, ByteBuffer.wrap(reply.body()), callback);
                return true;
            }
        });
        server.start();
        server.join();
    }

    private static void undertow(DeskSettings settings, FrontDesk desk) {
        Undertow.builder()
                .addHttpListener(settings.port(), settings.host())
                .setIoThreads(2)
                .setWorkerThreads(settings.threads())
                .setHandler(new BlockingHandler(exchange -> {
                    FrontDesk.Reply reply = desk.serve(exchange.getRequestPath());
                    exchange.setStatusCode(reply.status());
                    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
                    exchange.getResponseSender().send(ByteBuffer.wrap(reply.body()));
                }))
                .build()
                .start();
    }
}
