package org.plimsoll.companion;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a frame, as PROTOCOL.md lays it out. */
final class FrameWriter {
    private byte[] bytes = new byte[256];
    private int length;

    private FrameWriter() {}

    /** A frame of a kind; room for its length comes first. */
    static FrameWriter frame(int kind) {
        FrameWriter writer = new FrameWriter();
        writer.u32(0);
        writer.u8(kind);
        return writer;
    }

    /** No frame: something to be compared or put into one. */
    static FrameWriter part() {
        return new FrameWriter();
    }

    private void room(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    void u8(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    void flag(boolean value) {
        u8(value ? 1 : 0);
    }

    void u32(int value) {
        room(4);
        bytes[length++] = (byte) (value >>> 24);
        bytes[length++] = (byte) (value >>> 16);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    void u64(long value) {
        u32((int) (value >>> 32));
        u32((int) value);
    }

    void bytes(byte[] value) {
        u32(value.length);
        raw(value);
    }

    void raw(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
    }

    /** A text; {@code null} is written as an empty one. */
    void text(String value) {
        bytes(value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8));
    }

    void maybeText(String value) {
        flag(value != null);
        if (value != null) {
            text(value);
        }
    }

    /** What was written. */
    byte[] written() {
        return Arrays.copyOf(bytes, length);
    }

    /** The frame with its length set. */
    ByteBuffer finish() {
        ByteBuffer frame = ByteBuffer.wrap(bytes, 0, length);
        frame.putInt(0, length - 4);
        return frame;
    }
}
