import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A JVM to look at: listens on a port, says which, and does what it is told, line by line. */
public class Subject {
    static final List<byte[]> kept = new ArrayList<>();
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        int port = Integer.getInteger("subject.port", 0);
        ServerSocket server = new ServerSocket(port, 10, InetAddress.getLoopbackAddress());
        System.out.println("port " + server.getLocalPort());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            int number = words.length > 1 ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "allocate": // megabytes of garbage
                    for (int i = 0; i < number * 100; i++) {
                        sink = new byte[10_000];
                    }
                    break;
                case "keep": // megabytes that stay
                    for (int i = 0; i < number * 100; i++) {
                        kept.add(new byte[10_000]);
                    }
                    break;
                case "full":
                    System.gc();
                    break;
                case "contend": // threads behind a monitor, and as many behind a lock
                    contend(number);
                    break;
                case "burn": // threads that compute while they hold a monitor, one at a time
                    for (int i = 0; i < number; i++) {
                        start("burner-" + i, Subject::burn);
                    }
                    break;
                case "compute": // threads that do nothing else
                    for (int i = 0; i < number; i++) {
                        start("computer-" + i, Subject::compute);
                    }
                    break;
                case "virtual": // virtual threads behind a lock (JDK 21 and later)
                    virtual(number);
                    break;
                default:
                    break;
            }
            System.out.println("done " + line);
        }
    }

    static void contend(int threads) throws Exception {
        Thread holder = start("holder", () -> {
            synchronized (monitor) {
                lock.lock();
                sleep();
            }
        });
        await(holder, Thread.State.TIMED_WAITING);
        for (int i = 0; i < threads; i++) {
            Thread blocked = start("blocked-" + i, Subject::enter);
            Thread parked = start("parked-" + i, lock::lock);
            await(blocked, Thread.State.BLOCKED);
            await(parked, Thread.State.WAITING);
        }
    }

    static void virtual(int threads) throws Exception {
        lock.lock();
        for (int i = 0; i < threads; i++) {
            Runnable wait = Subject::waitForLock;
            Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, wait);
            await(thread, Thread.State.WAITING);
        }
    }

    static void enter() {
        synchronized (monitor) {
            sink = null;
        }
    }

    static void burn() {
        while (true) {
            synchronized (kept) {
                crunch();
            }
            // Or the others would hardly ever get in.
            sleep(1);
        }
    }

    static void compute() {
        while (true) {
            crunch();
        }
    }

    static void crunch() {
        long sum = 0;
        for (int i = 0; i < 3_000_000; i++) {
            sum += sum ^ i;
        }
        sink = sum;
    }

    static void waitForLock() {
        lock.lock();
    }

    static void sleep() {
        sleep(3_600_000);
    }

    static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void await(Thread thread, Thread.State state) throws Exception {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }
}
