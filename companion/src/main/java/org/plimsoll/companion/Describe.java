package org.plimsoll.companion;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.jmeter.assertions.Assertion;
import org.apache.jmeter.config.ConfigElement;
import org.apache.jmeter.control.Controller;
import org.apache.jmeter.engine.event.LoopIterationListener;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.AbstractThreadGroup;
import org.apache.jmeter.timers.Timer;

/**
 * Says what the classes and functions are that a plan names and the engine does not know: of each line of its input a
 * line of output, {@code MARK kind name}, if there is such a thing in the jars.
 */
public final class Describe {
    /** Begins each line that is meant: plugins print what they like. */
    private static final String MARK = "\u0001";

    private Describe() {}

    /**
     * @param arguments the companion's folder; JMeter's property search_paths
     * @throws IOException when the input cannot be read
     * @throws ReflectiveOperationException when JMeter is another one
     */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        FrameWriter setup = FrameWriter.part();
        setup.text("");
        setup.text("");
        setup.u32(1);
        setup.text("search_paths");
        setup.text(arguments[1]);
        setup.u32(0);
        Path home = Path.of(arguments[0]).toAbsolutePath();
        Surroundings.prepare(home, new FrameReader(setup.written()));
        BufferedReader names =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            String kind = name.startsWith("__") ? function(name) : element(name);
            if (kind != null) {
                System.out.println(MARK + kind + " " + name);
            }
        }
        System.out.flush();
        // Not exit(): a plugin's thread or hook keeps nothing alive.
        Runtime.getRuntime().halt(0);
    }

    private static String function(String name) {
        try {
            return CompoundVariable.getFunctionClass(name) == null ? null : "function";
        } catch (Exception | LinkageError broken) {
            return null;
        }
    }

    private static String element(String name) {
        Class<?> found;
        try {
            found = Class.forName(name, false, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException | LinkageError missing) {
            return null;
        }
        if (!TestElement.class.isAssignableFrom(found)) {
            return null;
        }
        if (AbstractThreadGroup.class.isAssignableFrom(found)) {
            return "thread-group";
        }
        // Some are both, and want their children run.
        if (Controller.class.isAssignableFrom(found)) {
            return "controller";
        }
        if (Sampler.class.isAssignableFrom(found)) {
            return "sampler";
        }
        if (Timer.class.isAssignableFrom(found)) {
            return "timer";
        }
        if (Assertion.class.isAssignableFrom(found)) {
            return "assertion";
        }
        if (PreProcessor.class.isAssignableFrom(found)) {
            return "pre-processor";
        }
        if (PostProcessor.class.isAssignableFrom(found)) {
            return "post-processor";
        }
        if (SampleListener.class.isAssignableFrom(found)) {
            return "listener";
        }
        if (LoopIterationListener.class.isAssignableFrom(found)) {
            return "pass";
        }
        return ConfigElement.class.isAssignableFrom(found) ? "config" : null;
    }
}
