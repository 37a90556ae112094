package io.plimsoll.lab;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Fixed JSON bodies, built once: the cost of a request is that of HTTP and of its size alone. */
@RestController
class JsonController {

    /** Size of the large body in bytes. */
    static final int LARGE_BYTES = 100 * 1024;

    private static final String[] WORDS = {
        "anchor", "ballast", "cargo", "deck", "ensign", "freeboard", "galley", "hull", "keel", "mast"
    };

    private final byte[] small = catalogue(4).getBytes(StandardCharsets.UTF_8);
    private final byte[] large = large();

    @GetMapping("/json")
    ResponseEntity<byte[]> json(@RequestParam(name = "size", defaultValue = "small") String size) {
        byte[] body = switch (size) {
            case "small" -> small;
            case "large" -> large;
            default -> throw ApiException.badRequest("size is \"" + size + "\", but must be small or large");
        };
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(body);
    }

    /** As many items as fit into the size, then a padding field that fills it exactly. */
    private static byte[] large() {
        int items = 1;
        while (catalogue(items + 1).length() + padding(0).length() <= LARGE_BYTES) {
            items++;
        }
        String body = catalogue(items);
        int pad = LARGE_BYTES - body.length() - padding(0).length();
        String open = body.substring(0, body.length() - 1);
        return (open + padding(pad) + "}").getBytes(StandardCharsets.UTF_8);
    }

    private static String padding(int length) {
        return ",\"padding\":\"" + ".".repeat(length) + "\"";
    }

    private static String catalogue(int items) {
        Random random = new Random(5050); // a fixed seed: the same bytes in every process
        StringBuilder json = new StringBuilder("{\"name\":\"catalogue\",\"count\":").append(items).append(",\"items\":[");
        for (int id = 1; id <= items; id++) {
            String word = WORDS[random.nextInt(WORDS.length)];
            json.append(id == 1 ? "" : ",")
                    .append("{\"id\":").append(id)
                    .append(",\"sku\":\"").append(word).append('-').append(1000 + random.nextInt(9000))
                    .append("\",\"price_cents\":").append(100 + random.nextInt(99_900))
                    .append(",\"in_stock\":").append(random.nextBoolean())
                    .append('}');
        }
        return json.append("]}").toString();
    }
}
