package org.plimsoll.companion;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/** The way back to the engine. */
final class Engine {
    private final SocketChannel channel;
    private final ReentrantLock writing = new ReentrantLock();

    Engine(SocketChannel channel) {
        this.channel = channel;
    }

    /** Sends a frame; who cannot reach the engine any more ends soon by itself. */
    void send(FrameWriter frame) {
        ByteBuffer bytes = frame.finish();
        writing.lock();
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException gone) {
            // The reader of the socket sees it too, and ends the program.
        } finally {
            writing.unlock();
        }
    }
}
