package desk;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServer;

/** Servers with event loops. */
final class LoopServers {
    private static final int MANY = 1000;

    private LoopServers() {}

    /** Vert.x: one verticle, which is one event loop. */
    static void vertx(DeskSettings settings) {
        Vertx.vertx().deployVerticle(new VerticleBase() {
            @Override
            public Future<?> start() {
                LoopDesk desk = new LoopDesk(settings, new VertxLoop(vertx));
                HttpServerOptions options = new HttpServerOptions().setAcceptBacklog(1024);
                return vertx.createHttpServer(options)
                        .requestHandler(request -> desk.serve(request.path()).thenAccept(reply -> request.response()
                                .setStatusCode(reply.status())
                                .putHeader("Content-Type", "text/plain")
                                .end(io.vertx.core.buffer.Buffer.buffer(reply.body()))))
                        .listen(settings.port(), settings.host());
            }
        }).onFailure(error -> {
            error.printStackTrace();
            System.exit(1);
        });
    }

    private static final class VertxLoop implements LoopDesk.Loop {
        private final Vertx vertx;
        private final HttpClient client;

        VertxLoop(Vertx vertx) {
            this.vertx = vertx;
            client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(MANY));
        }

        @Override
        public CompletionStage<?> later(long ms) {
            return vertx.timer(Math.max(ms, 1), java.util.concurrent.TimeUnit.MILLISECONDS).toCompletionStage();
        }

        @Override
        public CompletionStage<?> aside(Callable<?> task) {
            return vertx.executeBlocking(task::call, false).toCompletionStage();
        }

        @Override
        public CompletionStage<Integer> ask(String url) {
            return client.request(new RequestOptions().setAbsoluteURI(url))
                    .compose(HttpClientRequest::send)
                    .compose(response -> response.body().map(body -> response.statusCode()))
                    .toCompletionStage();
        }
    }

    /** Spring WebFlux on Reactor Netty. */
    static void webflux(DeskSettings settings) {
        LoopDesk desk = new LoopDesk(settings, new ReactorLoop());
        HttpHandler handler = RouterFunctions.toHttpHandler(RouterFunctions.route(RequestPredicates.all(),
                request -> Mono.fromCompletionStage(desk.serve(request.path()))
                        .flatMap(reply -> ServerResponse.status(reply.status())
                                .contentType(MediaType.TEXT_PLAIN)
                                .bodyValue(reply.body()))));
        HttpServer.create()
                .host(settings.host())
                .port(settings.port())
                .handle(new ReactorHttpHandlerAdapter(handler))
                .bindNow()
                .onDispose()
                .block();
    }

    private static final class ReactorLoop implements LoopDesk.Loop {
        private final WebClient client = WebClient.create();

        @Override
        public CompletionStage<?> later(long ms) {
            return Mono.delay(Duration.ofMillis(ms)).toFuture();
        }

        @Override
        public CompletionStage<?> aside(Callable<?> task) {
            return Mono.fromCallable(task).subscribeOn(Schedulers.boundedElastic()).toFuture();
        }

        @Override
        public CompletionStage<Integer> ask(String url) {
            return client.get().uri(url)
                    .exchangeToMono(response -> response.releaseBody().thenReturn(response.statusCode().value()))
                    .toFuture();
        }
    }
}
