package io.plimsoll.lab;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/** Says back what arrived, so that a plan's author sees what the client really sent. */
@RestController
class EchoController {

    /**
     * @param method the method as sent
     * @param path the path as sent, not decoded
     * @param query the query as sent, not decoded, or null
     * @param headers values by name in lower case; repeated headers joined by ", "
     * @param cookies values by name
     * @param bodyEncoding "text" if the body is UTF-8, else "base64"
     * @param bodyBytes length of the body as received
     * @param body the body in that encoding
     */
    record Echo(
            String method,
            String path,
            String query,
            Map<String, String> headers,
            Map<String, String> cookies,
            String bodyEncoding,
            int bodyBytes,
            String body) {}

    /** Named apart because Spring answers OPTIONS itself unless a handler asks for it. */
    @RequestMapping(path = {"/echo", "/echo/**"}, method = RequestMethod.OPTIONS)
    ResponseEntity<Echo> echoOptions(HttpServletRequest request) throws IOException {
        return echo(request);
    }

    @RequestMapping({"/echo", "/echo/**"})
    ResponseEntity<Echo> echo(HttpServletRequest request) throws IOException {
        byte[] body = request.getInputStream().readNBytes(Limits.MAX_BODY_BYTES + 1);
        if (body.length > Limits.MAX_BODY_BYTES) {
            throw new ApiException(HttpStatus.PAYLOAD_TOO_LARGE, "body_too_large",
                    "the body is over " + Limits.MAX_BODY_BYTES + " bytes");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        request.getHeaderNames().asIterator().forEachRemaining(name ->
                request.getHeaders(name).asIterator().forEachRemaining(value ->
                        headers.merge(name.toLowerCase(Locale.ROOT), value, (a, b) -> a + ", " + b)));
        String text = utf8OrNull(body);
        Echo echo = new Echo(
                request.getMethod(),
                request.getRequestURI(),
                request.getQueryString(),
                headers,
                cookies(request),
                text == null ? "base64" : "text",
                body.length,
                text == null ? Base64.getEncoder().encodeToString(body) : text);
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(echo);
    }

    static Map<String, String> cookies(HttpServletRequest request) {
        Map<String, String> cookies = new LinkedHashMap<>();
        if (request.getCookies() != null) {
            for (Cookie cookie : request.getCookies()) {
                cookies.putIfAbsent(cookie.getName(), cookie.getValue());
            }
        }
        return cookies;
    }

    private static String utf8OrNull(byte[] bytes) {
        try {
            // A fresh decoder reports malformed input; new String() would replace it silently.
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
    }
}
