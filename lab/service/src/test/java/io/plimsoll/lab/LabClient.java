package io.plimsoll.lab;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** Requests over a real port; redirects are not followed and cookies not kept unless a test says so. */
final class LabClient {

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    LabClient(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    HttpResponse<byte[]> get(String path, String... headers) throws IOException, InterruptedException {
        return send("GET", path, new byte[0], headers);
    }

    HttpResponse<byte[]> post(String path, String body, String... headers) throws IOException, InterruptedException {
        return send("POST", path, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    HttpResponse<byte[]> send(String method, String path, byte[] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }
}
