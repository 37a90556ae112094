package io.plimsoll.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A session flow: log in, fill a cart, order, read the order, log out. */
@RestController
class ShopController {

    private static final String BEARER = "Bearer ";
    private static final int MAX_USER_LENGTH = 128;
    private static final Pattern SKU = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    record LoginRequest(String user, String password) {}

    record LoginAnswer(String user, String token) {}

    record CartRequest(String sku, Integer quantity) {}

    record Order(long orderNumber, String user, List<LabSession.Item> items, BigDecimal total) {}

    private final String passwordPrefix;
    private final SessionStore sessions;
    private final ExpiringLruMap<Long, Order> orders;
    private final AtomicLong nextOrderNumber = new AtomicLong(1);

    ShopController(LabProperties properties, SessionStore sessions) {
        this.passwordPrefix = properties.login().passwordPrefix();
        this.sessions = sessions;
        LabProperties.Bounds bounds = properties.orderStore();
        this.orders = new ExpiringLruMap<>(bounds.maxEntries(), bounds.timeToLive(), System::nanoTime);
    }

    @PostMapping(path = "/login", consumes = MediaType.APPLICATION_JSON_VALUE)
    LoginAnswer loginJson(
            @RequestBody LoginRequest login, HttpServletRequest request, HttpServletResponse response) {
        return login(login, request, response);
    }

    @PostMapping(path = "/login", consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
    LoginAnswer loginForm(HttpServletRequest request, HttpServletResponse response) {
        LoginRequest login = new LoginRequest(request.getParameter("user"), request.getParameter("password"));
        return login(login, request, response);
    }

    @PostMapping(path = "/cart", consumes = MediaType.APPLICATION_JSON_VALUE)
    LabSession.Cart addToCart(@RequestBody CartRequest line, HttpServletRequest request) {
        LabSession session = authenticated(request);
        if (line.sku() == null || !SKU.matcher(line.sku()).matches()) {
            throw ApiException.badRequest("sku must be 1 to 64 letters, digits or . _ -");
        }
        int quantity = line.quantity() == null ? 1 : line.quantity();
        Limits.require("quantity", quantity, 1, LabSession.MAX_QUANTITY);
        return session.add(line.sku(), quantity);
    }

    @PostMapping("/order")
    ResponseEntity<Order> order(HttpServletRequest request) {
        LabSession session = authenticated(request);
        LabSession.Cart cart = session.checkOut();
        Order order = new Order(nextOrderNumber.getAndIncrement(), session.user(), cart.items(), cart.total());
        orders.put(order.orderNumber(), order);
        return ResponseEntity.created(URI.create("/order/" + order.orderNumber())).body(order);
    }

    @GetMapping("/order/{number}")
    Order readOrder(@PathVariable("number") long number, HttpServletRequest request) {
        LabSession session = authenticated(request);
        return orders.get(number)
                .filter(order -> order.user().equals(session.user()))
                .orElseThrow(() -> new ApiException(
                        HttpStatus.NOT_FOUND, "no_such_order", "you have no order " + number));
    }

    @GetMapping("/logout")
    Map<String, String> logout(HttpServletRequest request, HttpServletResponse response) {
        LabSession session = authenticated(request);
        sessions.remove(request, response);
        return Map.of("logged_out", session.user());
    }

    private LoginAnswer login(LoginRequest login, HttpServletRequest request, HttpServletResponse response) {
        if (login.user() == null || login.user().isEmpty() || login.user().length() > MAX_USER_LENGTH) {
            throw ApiException.badRequest("user must be 1 to " + MAX_USER_LENGTH + " characters");
        }
        if (!(passwordPrefix + login.user()).equals(login.password())) {
            throw ApiException.unauthorized("wrong_password", "user or password is wrong");
        }
        LabSession session = new LabSession(login.user(), Ids.random(), "C-" + Ids.random());
        sessions.create(session, request, response);
        return new LoginAnswer(session.user(), session.token());
    }

    private LabSession authenticated(HttpServletRequest request) {
        String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (authorization == null || !authorization.startsWith(BEARER)) {
            throw ApiException.unauthorized(
                    "token_missing", "the header \"Authorization: Bearer TOKEN\" is missing: POST /login first");
        }
        LabSession session = sessions.find(request).orElseThrow(() -> ApiException.unauthorized(
                "session_missing", "the session cookie is missing, unknown or expired: POST /login first"));
        byte[] presented = authorization.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(presented, session.token().getBytes(StandardCharsets.UTF_8))) {
            throw ApiException.unauthorized("token_wrong", "the token does not belong to this session");
        }
        return session;
    }
}
