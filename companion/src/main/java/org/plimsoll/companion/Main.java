package org.plimsoll.companion;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Runs JMeter's own classes for the engine that started this program: connects to the socket it
 * named, then serves frames until the engine closes it.
 */
public final class Main {
    private Main() {}

    /**
     * @param arguments the companion's folder, which is a JMeter home; the engine's socket, or
     *     nothing: then it only loads what a start needs, for the JVM's archive of classes
     * @throws IOException when the engine cannot be reached
     * @throws ReflectiveOperationException when JMeter is another one
     */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path home = Path.of(arguments[0]).toAbsolutePath();
        if (arguments.length == 1) {
            FrameWriter setup = FrameWriter.part();
            setup.raw(new byte[16]); // no plan, no folder, no properties of both kinds
            Surroundings.prepare(home, new FrameReader(setup.written()));
            WarmUp.run();
            return;
        }
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(arguments[1]));
        Engine engine = new Engine(channel);
        FrameWriter hello = FrameWriter.frame(Protocol.HELLO);
        hello.u32(Protocol.VERSION);
        engine.send(hello);
        int status = 0;
        try {
            serve(channel, engine, home);
        } catch (IOException gone) {
            // The engine ended, or wants this program to end.
        } catch (RuntimeException broken) {
            System.err.println("The engine's frames cannot be read: " + broken);
            status = 1;
        }
        // Not exit(): no hook of a script may keep the process alive without its engine.
        Runtime.getRuntime().halt(status);
    }

    private static void serve(SocketChannel channel, Engine engine, Path home) throws IOException {
        Input input = new Input(channel);
        FrameReader setup = new FrameReader(input.frame());
        if (setup.u8() != Protocol.SETUP) {
            throw new IOException("no set-up");
        }
        Test test;
        try {
            test = new Test(engine, Surroundings.prepare(home, setup));
        } catch (Exception | LinkageError failed) {
            failed.printStackTrace();
            FrameWriter no = FrameWriter.frame(Protocol.NOT_READY);
            no.text(failed.toString());
            engine.send(no);
            return;
        }
        engine.send(FrameWriter.frame(Protocol.READY));
        test.warmUp();
        while (true) {
            test.serve(new FrameReader(input.frame()));
        }
    }

    /** Frames from the socket. */
    private static final class Input {
        private final SocketChannel channel;
        private ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16).flip();

        Input(SocketChannel channel) {
            this.channel = channel;
        }

        byte[] frame() throws IOException {
            need(4);
            int length = buffer.getInt();
            if (length < 1) {
                throw new IOException("a frame of length " + length);
            }
            byte[] frame = new byte[length];
            int taken = Math.min(length, buffer.remaining());
            buffer.get(frame, 0, taken);
            ByteBuffer rest = ByteBuffer.wrap(frame, taken, length - taken);
            while (rest.hasRemaining()) {
                if (channel.read(rest) < 0) {
                    throw new EOFException();
                }
            }
            return frame;
        }

        private void need(int count) throws IOException {
            while (buffer.remaining() < count) {
                buffer.compact();
                int read = channel.read(buffer);
                buffer.flip();
                if (read < 0) {
                    throw new EOFException();
                }
            }
        }
    }
}
