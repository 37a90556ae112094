package desk;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** One request: what it spent its time on. */
final class DeskVisit {
    /** When this thread's request was handed to the executor, if that is known. */
    static final ThreadLocal<Long> HANDED = new ThreadLocal<>();

    final long begin;
    final Map<String, Long> spent = new HashMap<>();
    int status = 200;
    int bytes;

    DeskVisit() {
        long now = System.nanoTime();
        Long handed = HANDED.get();
        HANDED.remove();
        begin = handed == null ? now : handed;
        if (handed != null) {
            spent.put("line:executor", now - handed);
        }
    }

    void add(String what, long since) {
        spent.merge(what, System.nanoTime() - since, Long::sum);
    }

    byte[] body() {
        return (bytes == 0 ? "done\n" : "x".repeat(bytes)).getBytes(StandardCharsets.US_ASCII);
    }
}
