package desk;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/** Takes the steps of a request. */
final class FrontDesk {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final DeskSettings settings;
    private final DeskRecords records;
    private final DeskShelves shelves;
    private final Map<String, Semaphore> gates = new HashMap<>();
    private final Map<String, ReentrantLock> locks = new HashMap<>();
    private final ExecutorService beside = Executors.newCachedThreadPool();
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    FrontDesk(DeskSettings settings) {
        this.settings = settings;
        records = new DeskRecords(Path.of(settings.records()), settings.name());
        shelves = new DeskShelves(settings);
        settings.gates().forEach((name, gate) -> gates.put(name, new Semaphore(gate.permits())));
        settings.locks().forEach((name, lock) -> locks.put(name, new ReentrantLock()));
    }

    /** What is sent back: to be sent at once. */
    record Reply(int status, byte[] body) {}

    /** The rest of the steps is not taken. */
    static final class NotNow extends RuntimeException {}

    Reply serve(String path) {
        List<DeskSettings.Step> steps = settings.routes().get(path);
        if (steps == null) {
            return without(path);
        }
        DeskVisit visit = new DeskVisit();
        try {
            take(visit, steps);
        } catch (NotNow refused) {
            // Its status is set.
        } catch (Exception error) {
            error.printStackTrace();
            visit.status = 500;
        }
        records.add(visit);
        return new Reply(visit.status, visit.body());
    }

    /** What is sent for a path that has no steps. */
    static Reply without(String path) {
        return new Reply(path.equals("/ready") ? 200 : 404, "ready\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Computes. */
    static void work(DeskVisit visit, DeskSettings.Step step) {
        working(visit, () -> DeskTasks.work(step.how(), step.rounds()));
    }

    static void working(DeskVisit visit, Runnable task) {
        long begin = System.nanoTime();
        long cpu = THREADS.getCurrentThreadCpuTime();
        task.run();
        visit.spent.merge("work_cpu", THREADS.getCurrentThreadCpuTime() - cpu, Long::sum);
        visit.add("work", begin);
    }

    /** Says so often that it cannot. */
    static void refuse(DeskVisit visit, DeskSettings.Step step) {
        if (ThreadLocalRandom.current().nextDouble() < step.share()) {
            visit.status = 503;
            throw new NotNow();
        }
    }

    private void take(DeskVisit visit, List<DeskSettings.Step> steps) throws IOException, SQLException, InterruptedException {
        for (DeskSettings.Step step : steps) {
            one(visit, step);
        }
    }

    private void one(DeskVisit visit, DeskSettings.Step step) throws IOException, SQLException, InterruptedException {
        long begin = System.nanoTime();
        switch (step.what()) {
            case "work" -> work(visit, step);
            case "pause", "block" -> pause(visit, step.ms());
            case "inside" -> inside(visit, step);
            case "alone" -> alone(visit, step);
            case "call" -> {
                if (step.share() == null || ThreadLocalRandom.current().nextDouble() < step.share()) {
                    call(visit, step);
                }
            }
            case "together" -> together(visit, step.steps());
            case "refuse" -> refuse(visit, step);
            case "query" -> shelves.query(visit, step);
            case "get" -> shelves.get(visit, step);
            case "store" -> {
                DeskTasks.store(settings.directory(), step);
                visit.add("disk", begin);
            }
            case "allocate" -> {
                FrontDesk.working(visit, () -> DeskTasks.allocate(step));
            }
            case "body" -> visit.bytes = step.bytes();
            default -> throw new IllegalArgumentException(step.what());
        }
    }

    /** Takes steps at once, each as a visit of its own. */
    private void together(DeskVisit visit, List<DeskSettings.Step> steps) throws InterruptedException {
        long begin = System.nanoTime();
        List<DeskVisit> branches = steps.stream().map(step -> DeskVisit.branch()).toList();
        List<Future<Void>> taken = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            int at = i;
            taken.add(beside.submit(() -> {
                one(branches.get(at), steps.get(at));
                return null;
            }));
        }
        boolean refused = false;
        for (Future<Void> each : taken) {
            try {
                each.get();
            } catch (ExecutionException error) {
                refused = true;
            }
        }
        visit.absorb(branches, begin);
        if (refused) {
            visit.status = Math.max(visit.status, 502);
            throw new NotNow();
        }
    }

    private static void pause(DeskVisit visit, double ms) throws InterruptedException {
        long begin = System.nanoTime();
        Thread.sleep(Math.round(ms));
        visit.add("pause", begin);
    }

    private void inside(DeskVisit visit, DeskSettings.Step step) throws IOException, SQLException, InterruptedException {
        Semaphore gate = gates.get(step.name());
        long begin = System.nanoTime();
        gate.acquire();
        visit.add("line:gate:" + step.name(), begin);
        try {
            take(visit, step.steps());
        } finally {
            gate.release();
        }
    }

    private void alone(DeskVisit visit, DeskSettings.Step step) throws IOException, SQLException, InterruptedException {
        ReentrantLock lock = locks.get(step.name());
        long begin = System.nanoTime();
        lock.lock();
        visit.add("line:lock:" + step.name(), begin);
        try {
            take(visit, step.steps());
        } finally {
            lock.unlock();
        }
    }

    /** Asks a neighbour, so often as it says that it cannot. */
    private void call(DeskVisit visit, DeskSettings.Step step) throws IOException, InterruptedException {
        for (int left = Math.max(step.tries(), 1); left > 0; left--) {
            long begin = System.nanoTime();
            HttpRequest request = HttpRequest.newBuilder(URI.create(settings.neighbours().get(step.name()).url())).build();
            int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            visit.add("call:" + step.name(), begin);
            if (status == 200) {
                return;
            }
            if (left > 1) {
                pause(visit, step.againMs());
            }
        }
        visit.status = 502;
        throw new NotNow();
    }
}
