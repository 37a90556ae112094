package io.plimsoll.lab;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;

/** What the service knows of one logged-in user: who it is and what lies in the cart. */
final class LabSession {

    /** Most different items in one cart: bounds what one session may hold. */
    static final int MAX_ITEMS = 100;

    /** Most pieces of one item in a cart. */
    static final int MAX_QUANTITY = 10_000;

    /**
     * A line of a cart or an order.
     *
     * @param sku the article
     * @param quantity how many
     * @param price price of one piece
     */
    record Item(String sku, int quantity, BigDecimal price) {}

    /**
     * The cart as it is now.
     *
     * @param cartId id of the cart, the same for the whole session
     * @param items its lines
     * @param total sum of quantity × price
     */
    record Cart(String cartId, List<Item> items, BigDecimal total) {}

    private final String user;
    private final String token;
    private final String cartId;
    private final Map<String, Integer> quantities = new LinkedHashMap<>();

    LabSession(String user, String token, String cartId) {
        this.user = user;
        this.token = token;
        this.cartId = cartId;
    }

    String user() {
        return user;
    }

    String token() {
        return token;
    }

    synchronized Cart add(String sku, int quantity) {
        int sum = quantities.getOrDefault(sku, 0) + quantity;
        if (sum > MAX_QUANTITY) {
            throw conflict("cart_full", "at most " + MAX_QUANTITY + " pieces of one item fit into a cart");
        }
        if (!quantities.containsKey(sku) && quantities.size() >= MAX_ITEMS) {
            throw conflict("cart_full", "at most " + MAX_ITEMS + " different items fit into a cart");
        }
        quantities.put(sku, sum);
        return cart();
    }

    /** Empties the cart and returns what was in it. */
    synchronized Cart checkOut() {
        if (quantities.isEmpty()) {
            throw conflict("cart_empty", "the cart is empty: POST /cart first");
        }
        Cart cart = cart();
        quantities.clear();
        return cart;
    }

    private Cart cart() {
        List<Item> items = new ArrayList<>();
        BigDecimal total = BigDecimal.ZERO.setScale(2);
        for (Map.Entry<String, Integer> line : quantities.entrySet()) {
            BigDecimal price = price(line.getKey());
            items.add(new Item(line.getKey(), line.getValue(), price));
            total = total.add(price.multiply(BigDecimal.valueOf(line.getValue())));
        }
        return new Cart(cartId, List.copyOf(items), total);
    }

    /** A price between 1.00 and 100.99 that depends on the article alone. */
    static BigDecimal price(String sku) {
        return BigDecimal.valueOf(100 + Math.floorMod(sku.hashCode(), 10_000), 2);
    }

    private static ApiException conflict(String error, String reason) {
        return new ApiException(HttpStatus.CONFLICT, error, reason);
    }
}
