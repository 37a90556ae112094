package desk;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/** Takes the steps of a request on event loops: nothing waits on their threads but what a step is told to block. */
final class LoopDesk {
    private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

    /** What a server with event loops offers. */
    interface Loop {
        /** Goes on after so long. */
        CompletionStage<?> later(long ms);

        /** Does elsewhere what blocks. */
        CompletionStage<?> aside(Callable<?> task);

        /** The status of a response. */
        CompletionStage<Integer> ask(String url);
    }

    /** Lets so many in at a time; who comes later goes on once there is room. */
    private static final class Line {
        private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
        private int free;

        Line(int free) {
            this.free = free;
        }

        synchronized CompletionStage<Void> enter() {
            if (free > 0) {
                free--;
                return DONE;
            }
            CompletableFuture<Void> next = new CompletableFuture<>();
            waiting.add(next);
            return next;
        }

        void leave() {
            CompletableFuture<Void> next;
            synchronized (this) {
                next = waiting.poll();
                free += next == null ? 1 : 0;
            }
            if (next != null) {
                next.complete(null);
            }
        }
    }

    private final DeskSettings settings;
    private final DeskRecords records;
    private final DeskShelves shelves;
    private final Loop loop;
    private final Map<String, Line> gates = new HashMap<>();
    private final Map<String, Line> locks = new HashMap<>();

    LoopDesk(DeskSettings settings, Loop loop) {
        this.settings = settings;
        this.loop = loop;
        records = new DeskRecords(Path.of(settings.records()), settings.name());
        shelves = new DeskShelves(settings);
        settings.gates().forEach((name, gate) -> gates.put(name, new Line(gate.permits())));
        settings.locks().forEach((name, lock) -> locks.put(name, new Line(1)));
    }

    CompletionStage<FrontDesk.Reply> serve(String path) {
        List<DeskSettings.Step> steps = settings.routes().get(path);
        if (steps == null) {
            return CompletableFuture.completedStage(FrontDesk.without(path));
        }
        DeskVisit visit = new DeskVisit();
        return DONE.thenCompose(begun -> take(visit, steps)).handle((done, error) -> {
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            if (cause != null && !(cause instanceof FrontDesk.NotNow)) {
                cause.printStackTrace();
                visit.status = 500;
            }
            records.add(visit);
            return new FrontDesk.Reply(visit.status, visit.body());
        });
    }

    private CompletionStage<Void> take(DeskVisit visit, List<DeskSettings.Step> steps) {
        if (steps.isEmpty()) {
            return DONE;
        }
        return one(visit, steps.get(0)).thenCompose(done -> take(visit, steps.subList(1, steps.size())));
    }

    private CompletionStage<Void> one(DeskVisit visit, DeskSettings.Step step) {
        long begin = System.nanoTime();
        switch (step.what()) {
            case "work" -> FrontDesk.work(visit, step);
            case "block" -> {
                sleep(Math.round(step.ms()));
                visit.add("block", begin);
            }
            case "pause" -> {
                return noted(visit, "pause", loop.later(Math.round(step.ms())));
            }
            case "inside" -> {
                return through(visit, "line:gate:" + step.name(), gates.get(step.name()), step.steps());
            }
            case "alone" -> {
                return through(visit, "line:lock:" + step.name(), locks.get(step.name()), step.steps());
            }
            case "call" -> {
                if (step.share() == null || ThreadLocalRandom.current().nextDouble() < step.share()) {
                    return call(visit, step, Math.max(step.tries(), 1));
                }
            }
            case "together" -> {
                return together(visit, step.steps());
            }
            case "refuse" -> FrontDesk.refuse(visit, step);
            case "query" -> {
                return loop.aside(() -> {
                    shelves.query(visit, step);
                    return null;
                }).thenAccept(done -> { });
            }
            case "get" -> {
                return loop.aside(() -> {
                    shelves.get(visit, step);
                    return null;
                }).thenAccept(done -> { });
            }
            case "store" -> {
                return noted(visit, "disk", loop.aside(() -> {
                    DeskTasks.store(settings.directory(), step);
                    return null;
                }));
            }
            case "allocate" -> {
                FrontDesk.working(visit, () -> DeskTasks.allocate(step));
            }
            case "body" -> visit.bytes = step.bytes();
            default -> throw new IllegalArgumentException(step.what());
        }
        return DONE;
    }

    /** Takes steps at once, each as a visit of its own. */
    private CompletionStage<Void> together(DeskVisit visit, List<DeskSettings.Step> steps) {
        long begin = System.nanoTime();
        List<DeskVisit> branches = new ArrayList<>();
        List<CompletableFuture<Void>> taken = new ArrayList<>();
        for (DeskSettings.Step step : steps) {
            DeskVisit branch = DeskVisit.branch();
            branches.add(branch);
            taken.add(one(branch, step).toCompletableFuture());
        }
        return CompletableFuture.allOf(taken.toArray(CompletableFuture[]::new))
                .whenComplete((done, error) -> visit.absorb(branches, begin));
    }

    private static CompletionStage<Void> noted(DeskVisit visit, String what, CompletionStage<?> waited) {
        long begin = System.nanoTime();
        return waited.thenAccept(done -> visit.add(what, begin));
    }

    private CompletionStage<Void> through(DeskVisit visit, String what, Line line, List<DeskSettings.Step> steps) {
        return noted(visit, what, line.enter())
                .thenCompose(in -> DONE.thenCompose(begun -> take(visit, steps)).whenComplete((done, error) -> line.leave()));
    }

    /** Asks a neighbour, so often as it says that it cannot. */
    private CompletionStage<Void> call(DeskVisit visit, DeskSettings.Step step, int left) {
        long begin = System.nanoTime();
        return loop.ask(settings.neighbours().get(step.name()).url()).thenCompose(status -> {
            visit.add("call:" + step.name(), begin);
            if (status == 200) {
                return DONE;
            }
            if (left <= 1) {
                visit.status = 502;
                throw new FrontDesk.NotNow();
            }
            return noted(visit, "pause", loop.later(Math.round(step.againMs())))
                    .thenCompose(rested -> call(visit, step, left - 1));
        });
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
