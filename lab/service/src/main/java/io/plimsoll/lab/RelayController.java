package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.RestTemplate;

/** Field case F28: one hop of a chain. {@code /via/json?size=small} asks the next system for the rest. */
@RestController
@ConditionalOnProperty("lab.remote.url")
class RelayController {

    private static final String PREFIX = "/via";

    private final RestTemplate remote;
    private final String next;

    RelayController(RestTemplate remote, LabProperties properties) {
        this.remote = remote;
        this.next = properties.remote().url();
    }

    @GetMapping(PREFIX + "/**")
    ResponseEntity<byte[]> relay(HttpServletRequest request) {
        String query = request.getQueryString();
        String rest = request.getRequestURI().substring(PREFIX.length()) + (query == null ? "" : "?" + query);
        try {
            ResponseEntity<byte[]> answer = remote.getForEntity(URI.create(next + rest), byte[].class);
            return ResponseEntity.status(answer.getStatusCode())
                    .contentType(answer.getHeaders().getContentType())
                    .body(answer.getBody());
        } catch (RestClientResponseException refusal) {
            return ResponseEntity.status(refusal.getStatusCode()).body(refusal.getResponseBodyAsByteArray());
        } catch (ResourceAccessException silence) {
            throw new ApiException(HttpStatus.BAD_GATEWAY, "no_answer", "the next system did not answer");
        }
    }
}
