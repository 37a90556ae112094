package io.plimsoll.lab;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.ServletRequestBindingException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Turns refusals into JSON bodies that say why. */
@RestControllerAdvice
class ErrorAdvice {

    /**
     * Body of every refusal.
     *
     * @param error a stable word for programs
     * @param reason a sentence for people
     */
    record ErrorBody(String error, String reason) {}

    @ExceptionHandler
    ResponseEntity<ErrorBody> refused(ApiException refusal) {
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(refusal.status());
        if (refusal.status() == HttpStatus.UNAUTHORIZED) {
            answer.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"lab\"");
        }
        // The type is set so that an Accept header cannot turn the refusal into a 406.
        return answer.contentType(MediaType.APPLICATION_JSON)
                .body(new ErrorBody(refusal.error(), refusal.getMessage()));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> unreadableBody(HttpMessageNotReadableException problem) {
        return refused(ApiException.badRequest("the body cannot be read as JSON"));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> wrongType(MethodArgumentTypeMismatchException problem) {
        return refused(ApiException.badRequest(
                problem.getName() + " is not of the type " + problem.getParameter().getParameterType().getSimpleName()));
    }

    @ExceptionHandler
    ResponseEntity<ErrorBody> missing(ServletRequestBindingException problem) {
        return refused(ApiException.badRequest(problem.getMessage()));
    }
}
