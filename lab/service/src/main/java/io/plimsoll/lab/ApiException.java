package io.plimsoll.lab;

import org.springframework.http.HttpStatus;

/** A refusal the caller is to read: becomes a JSON body with {@code error} and {@code reason}. */
final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final HttpStatus status;
    private final String error;

    ApiException(HttpStatus status, String error, String reason) {
        // No stack trace: refusals are ordinary here, and filling it in would cost CPU under load.
        super(reason, null, false, false);
        this.status = status;
        this.error = error;
    }

    static ApiException badRequest(String reason) {
        return new ApiException(HttpStatus.BAD_REQUEST, "bad_request", reason);
    }

    static ApiException unauthorized(String error, String reason) {
        return new ApiException(HttpStatus.UNAUTHORIZED, error, reason);
    }

    HttpStatus status() {
        return status;
    }

    String error() {
        return error;
    }
}
