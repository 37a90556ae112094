/** Computes for two seconds while two threads take turns at a monitor. */
public final class Busy {
    private static volatile double sink;

    public static void main(String[] arguments) throws Exception {
        Desk desk = new Desk();
        long until = System.nanoTime() + 2_000_000_000L;
        Runnable visits = () -> {
            while (System.nanoTime() < until) {
                desk.enter();
            }
        };
        Thread first = new Thread(visits);
        Thread second = new Thread(visits);
        first.start();
        second.start();
        while (System.nanoTime() < until) {
            sink = compute();
        }
        first.join();
        second.join();
    }

    private static double compute() {
        double sum = 0;
        for (int i = 1; i < 200_000; i++) {
            sum += Math.sqrt(i) / (i + sum);
        }
        return sum;
    }

    private static final class Desk {
        synchronized void enter() {
            try {
                Thread.sleep(60);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
