package desk;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
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

    /** A part of a request that is there beside others: a visit of its own. */
    static DeskVisit branch() {
        DeskVisit made = new DeskVisit();
        made.spent.clear();
        return made;
    }

    /**
     * Adds what branches spent that were there at once: each has its share of the time that all of them took. How long
     * calls took as such is noted beside it.
     */
    void absorb(List<DeskVisit> branches, long since) {
        long took = System.nanoTime() - since;
        double all = branches.stream().flatMap(branch -> branch.spent.values().stream()).mapToLong(each -> each).sum();
        for (DeskVisit branch : branches) {
            branch.spent.forEach((what, ns) -> {
                spent.merge(what, Math.round(ns * (took / all)), Long::sum);
                if (what.startsWith("call:")) {
                    spent.merge(what.replaceFirst("call:", "whole:"), ns, Long::sum);
                }
            });
            status = Math.max(status, branch.status);
        }
    }

    byte[] body() {
        return (bytes == 0 ? "done\n" : "x".repeat(bytes)).getBytes(StandardCharsets.US_ASCII);
    }
}
