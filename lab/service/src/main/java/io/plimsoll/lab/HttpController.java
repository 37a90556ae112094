package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shapes of HTTP a client has to handle: redirects, every status, slow and encoded bodies, cookies. */
@RestController
class HttpController {

    private static final Set<Integer> REDIRECT_CODES = Set.of(301, 302, 303, 307, 308);
    private static final int SLOW_BODY_STEP_MS = 20;
    private static final int SLOW_BODY_CHUNK_BYTES = 8192;

    private final byte[] plain = "The Plimsoll line marks how much load a ship may carry.\n"
            .repeat(200)
            .getBytes(StandardCharsets.UTF_8);
    private final byte[] gzipped = gzip(plain);

    /** A chain of {@code times} redirects, the last of them to {@code to}. */
    @GetMapping("/redirect")
    ResponseEntity<Void> redirect(
            @RequestParam(name = "to", defaultValue = "/json") String to,
            @RequestParam(name = "times", defaultValue = "1") int times,
            @RequestParam(name = "code", defaultValue = "302") int code) {
        Limits.require("times", times, 1, Limits.MAX_REDIRECTS);
        if (!REDIRECT_CODES.contains(code)) {
            throw ApiException.badRequest("code is " + code + ", but must be 301, 302, 303, 307 or 308");
        }
        String location = times == 1
                ? requireUri(to)
                : "/redirect?to=" + URLEncoder.encode(requireUri(to), StandardCharsets.UTF_8)
                        + "&times=" + (times - 1) + "&code=" + code;
        return ResponseEntity.status(code).header(HttpHeaders.LOCATION, location).build();
    }

    @GetMapping("/status/{code}")
    ResponseEntity<String> status(@PathVariable("code") int code) {
        Limits.require("code", code, 200, 599);
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(code);
        return code == 204 || code == 205 || code == 304
                ? answer.build()
                : answer.contentType(MediaType.TEXT_PLAIN).body("status " + code + "\n");
    }

    /**
     * Sends {@code bytes} bytes spread evenly over {@code ms} milliseconds, with a Content-Length or,
     * if {@code chunked}, without.
     */
    @GetMapping("/slow-body")
    void slowBody(
            @RequestParam(name = "bytes", defaultValue = "10000") int bytes,
            @RequestParam(name = "ms", defaultValue = "1000") long ms,
            @RequestParam(name = "chunked", defaultValue = "false") boolean chunked,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Limits.require("bytes", bytes, 0, Limits.MAX_BODY_BYTES);
        Limits.require("ms", ms, 0, Limits.MAX_DELAY_MS);
        response.setContentType(MediaType.TEXT_PLAIN_VALUE);
        if (!chunked) {
            response.setContentLength(bytes);
        }
        OutputStream out = response.getOutputStream();
        long steps = Math.max(1, ms / SLOW_BODY_STEP_MS);
        long start = System.nanoTime();
        long sent = 0;
        for (long step = 1; step <= steps; step++) {
            long sliceEnd = bytes * step / steps;
            writeDots(out, sliceEnd - sent);
            sent = sliceEnd;
            out.flush();
            // Due times are counted from the start, so that late wake-ups do not add up.
            long dueNanos = TimeUnit.MILLISECONDS.toNanos(ms) * step / steps;
            long waitNanos = dueNanos - (System.nanoTime() - start);
            if (step < steps && waitNanos > 0) {
                TimeUnit.NANOSECONDS.sleep(waitNanos);
            }
        }
    }

    /** A text that is sent gzipped if the client says it accepts that. */
    @GetMapping("/gzip")
    ResponseEntity<byte[]> gzip(HttpServletRequest request) {
        boolean accepted = acceptsGzip(request.getHeader(HttpHeaders.ACCEPT_ENCODING));
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).varyBy(HttpHeaders.ACCEPT_ENCODING);
        return accepted
                ? answer.header(HttpHeaders.CONTENT_ENCODING, "gzip").body(gzipped)
                : answer.body(plain);
    }

    /** Sets one cookie; {@code max-age=0} deletes it. */
    @GetMapping("/cookie/set")
    ResponseEntity<Map<String, String>> setCookie(
            @RequestParam(name = "name", defaultValue = "lab") String name,
            @RequestParam(name = "value", defaultValue = "1") String value,
            @RequestParam(name = "path", defaultValue = "/") String path,
            @RequestParam(name = "max-age", defaultValue = "-1") long maxAgeSeconds,
            HttpServletRequest request) {
        ResponseCookie cookie;
        try {
            cookie = ResponseCookie.from(name, value)
                    .path(path)
                    .maxAge(Duration.ofSeconds(maxAgeSeconds))
                    .build();
        } catch (IllegalArgumentException invalid) {
            throw ApiException.badRequest(invalid.getMessage());
        }
        return ResponseEntity.ok()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .body(EchoController.cookies(request));
    }

    /** The cookies the client sent. */
    @GetMapping("/cookie")
    Map<String, String> cookies(HttpServletRequest request) {
        return EchoController.cookies(request);
    }

    private static String requireUri(String to) {
        try {
            return new URI(to).toASCIIString();
        } catch (URISyntaxException invalid) {
            throw ApiException.badRequest("to is not a URI: " + invalid.getMessage());
        }
    }

    private static boolean acceptsGzip(String acceptEncoding) {
        if (acceptEncoding == null) {
            return false;
        }
        return Arrays.stream(acceptEncoding.toLowerCase(Locale.ROOT).split(","))
                .map(coding -> coding.replace(" ", ""))
                .anyMatch(coding -> coding.matches("(x-)?gzip(;q=(1(\\.0*)?|0\\.0*[1-9]\\d*))?"));
    }

    private static void writeDots(OutputStream out, long count) throws IOException {
        byte[] dots = new byte[(int) Math.min(count, SLOW_BODY_CHUNK_BYTES)];
        Arrays.fill(dots, (byte) '.');
        for (long left = count; left > 0; left -= dots.length) {
            out.write(dots, 0, (int) Math.min(left, dots.length));
        }
    }

    private static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // a byte array never refuses a write
        }
        return packed.toByteArray();
    }
}
