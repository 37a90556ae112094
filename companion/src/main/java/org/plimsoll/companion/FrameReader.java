package org.plimsoll.companion;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads a frame's payload, as PROTOCOL.md lays it out. */
final class FrameReader {
    /** A text by name; {@code null} for a value that is taken away. */
    record Change(String name, String value) {}

    private final ByteBuffer payload;

    FrameReader(byte[] payload) {
        this.payload = ByteBuffer.wrap(payload);
    }

    int u8() {
        return payload.get() & 0xff;
    }

    boolean flag() {
        return payload.get() != 0;
    }

    int u32() {
        return payload.getInt();
    }

    long u64() {
        return payload.getLong();
    }

    byte[] bytes() {
        byte[] bytes = new byte[payload.getInt()];
        payload.get(bytes);
        return bytes;
    }

    String text() {
        int length = payload.getInt();
        int start = payload.position();
        payload.position(start + length);
        return new String(payload.array(), start, length, StandardCharsets.UTF_8);
    }

    String maybeText() {
        return flag() ? text() : null;
    }

    <T> List<T> list(Function<FrameReader, T> one) {
        int count = payload.getInt();
        List<T> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(one.apply(this));
        }
        return list;
    }

    List<Change> changes() {
        return list(from -> new Change(from.text(), from.maybeText()));
    }

    List<Change> texts() {
        return list(from -> new Change(from.text(), from.text()));
    }

    /** Where the reader is. */
    int position() {
        return payload.position();
    }

    /** The bytes from a position to where the reader is. */
    byte[] since(int start) {
        byte[] bytes = new byte[payload.position() - start];
        System.arraycopy(payload.array(), start, bytes, 0, bytes.length);
        return bytes;
    }
}
