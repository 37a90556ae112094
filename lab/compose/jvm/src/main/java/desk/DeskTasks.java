package desk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** What a step computes, keeps or writes. */
final class DeskTasks {
    private static final String DOCUMENT =
            "{\"id\":17,\"text\":\"a line of words\",\"price\":12.5,\"tags\":[\"x\",\"y\",\"z\"]},".repeat(20);
    private static final byte[] BYTES = DOCUMENT.getBytes(StandardCharsets.UTF_8);
    private static final String LIST = "[" + DOCUMENT.substring(0, DOCUMENT.length() - 1) + "]";
    private static final Pattern PRICE = Pattern.compile("\"price\":([0-9]+)\\.([0-9]+)");
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Queue<List<byte[]>> KEPT = new ConcurrentLinkedQueue<>();
    private static final AtomicLong kept = new AtomicLong();
    private static final AtomicInteger SERIAL = new AtomicInteger();
    private static volatile long result;

    private DeskTasks() {}

    static void work(String how, int rounds) {
        try {
            for (int round = 0; round < rounds; round++) {
                round(how);
            }
        } catch (IOException | NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void round(String how) throws IOException, NoSuchAlgorithmException {
        switch (how) {
            case "json" -> json();
            case "regex" -> {
                for (int i = 0; i < 35; i++) {
                    Matcher matcher = PRICE.matcher(DOCUMENT);
                    while (matcher.find()) {
                        result += matcher.end();
                    }
                }
            }
            case "gzip" -> {
                for (int i = 0; i < 9; i++) {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    try (GZIPOutputStream packer = new GZIPOutputStream(out)) {
                        packer.write(BYTES);
                    }
                    result += out.size();
                }
            }
            case "hash" -> {
                for (int i = 0; i < 80; i++) {
                    result += MessageDigest.getInstance("SHA-256").digest(BYTES)[0];
                }
            }
            default -> own();
        }
    }

    private static void json() throws JsonProcessingException {
        for (int i = 0; i < 5; i++) {
            result += MAPPER.readTree(LIST).toString().length();
        }
    }

    private static void own() {
        long sum = 17;
        for (int i = 0; i < 70_000; i++) {
            sum = sum * 31 + i % 7;
        }
        result = sum;
    }

    /** Makes small things and throws them away, and keeps some of them, until so many bytes are kept (0: for ever). */
    static void allocate(DeskSettings.Step step) {
        byte[][] last = new byte[64][];
        for (int i = 0; i < step.bytes() / 1024; i++) {
            last[i % last.length] = new byte[1024];
        }
        if (step.keep() > 0 && (step.most() == 0 || kept.get() < step.most())) {
            kept.addAndGet(step.keep());
            KEPT.add(small(step.keep()));
        }
        result += last[0] == null ? 0 : last[0].length;
    }

    private static List<byte[]> small(int bytes) {
        List<byte[]> parts = new ArrayList<>();
        for (int left = bytes; left > 0; left -= 1024) {
            parts.add(new byte[1024]);
        }
        return parts;
    }

    static void store(String directory, DeskSettings.Step step) throws IOException {
        for (int i = 0; i < Math.max(step.count(), 1); i++) {
            Path path = Path.of(directory, "part-" + SERIAL.incrementAndGet() % 64);
            try (RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw")) {
                out.write(new byte[step.bytes()]);
                if (step.sync()) {
                    out.getFD().sync();
                }
            }
        }
    }
}
