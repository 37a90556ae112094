package desk;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import sun.misc.Signal;

/** Sums over all requests so far. */
final class DeskRecords {
    private final Path folder;
    private final String name;
    private final ObjectMapper mapper = new ObjectMapper();
    private final Map<String, Double> sums = new HashMap<>();
    private final int[] histogram = new int[32];
    private long requests;
    private long failed;
    private double totalMs;

    DeskRecords(Path folder, String name) {
        this.folder = folder;
        this.name = name;
        Signal.handle(new Signal("WINCH"), signal -> write());
    }

    synchronized void add(DeskVisit visit) {
        long total = System.nanoTime() - visit.begin;
        requests++;
        failed += visit.status >= 400 ? 1 : 0;
        totalMs += total / 1e6;
        visit.spent.forEach((what, spent) -> sums.merge(what, spent / 1e6, Double::sum));
        histogram[Math.min(64 - Long.numberOfLeadingZeros(total / 1000), 31)]++;
    }

    /** How long collections have stopped all threads so far, in ms. */
    private static double paused() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(collector -> !collector.getName().contains("Concurrent"))
                .mapToDouble(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private synchronized void write() {
        long pid = ProcessHandle.current().pid();
        Path file = folder.resolve(name + "." + pid + ".json");
        Path aside = folder.resolve(name + "." + pid + ".json.new");
        sums.put("gc_paused", paused());
        try {
            mapper.writeValue(aside.toFile(), Map.of("pid", pid, "requests", requests, "failed", failed,
                    "total_ms", totalMs, "sums", sums, "histogram_log2_us", histogram));
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            System.err.println(error);
        }
    }
}
