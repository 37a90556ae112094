package org.plimsoll.companion;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.functions.Function;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.plimsoll.companion.FrameReader.Change;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all users of a test share. */
final class Test {
    private static final Logger LOG = LoggerFactory.getLogger(Test.class);
    private static final String TEST_START = "TESTSTART.MS";
    /** How long the end of the test waits for users' threads. */
    private static final long USERS_END_MS = 10_000;

    /** The one object of a site that users' objects are copies of. */
    private static final class Prototype {
        private final TestElement element;
        private byte[] filledWith;

        Prototype(TestElement element) {
            this.element = element;
        }
    }

    final Engine engine;
    final TrackedProperties properties;
    final Elements elements = new Elements();
    final StandIns.Run run;

    private final TrackedVariables variables = new TrackedVariables();
    private final Map<Integer, Prototype> prototypes = new LinkedHashMap<>();
    private final Map<Integer, Function> functions = new ConcurrentHashMap<>();
    private final Map<String, StandIns.Group> groups = new ConcurrentHashMap<>();
    /** Only the thread that reads the socket uses it. */
    private final Map<Long, User> users = new ConcurrentHashMap<>();
    /** Users whose threads are about to end. */
    private final Queue<User> leaving = new ConcurrentLinkedQueue<>();
    /** Changes of flow asked for outside of any call. */
    private final Queue<Action> askedOutside = new ConcurrentLinkedQueue<>();
    private final AtomicInteger usersAtWork;
    private final ExecutorService starter = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "StandardJMeterEngine");
        thread.setDaemon(true);
        return thread;
    });

    Test(Engine engine, TrackedProperties properties)
            throws IOException, ReflectiveOperationException {
        this.engine = engine;
        this.properties = properties;
        run = new StandIns.Run(this::ask);
        // Scripts ask JMeterContextService for this number; only JMeter's threads can count it.
        Field field = JMeterContextService.class.getDeclaredField("NUMBER_OF_ACTIVE_THREADS");
        field.setAccessible(true);
        usersAtWork = (AtomicInteger) field.get(null);
        if (properties.getProperty(TEST_START) == null) {
            JMeterContextService.startTest();
        } else {
            // The engine's test has begun already, when it says.
            Field start = JMeterContextService.class.getDeclaredField("testStart");
            start.setAccessible(true);
            ((AtomicLong) start.get(null)).set(Long.parseLong(properties.getProperty(TEST_START)));
        }
    }

    /** Loads classes meanwhile; the beginning of the test waits for it. */
    void warmUp() {
        starter.execute(WarmUp::run);
    }

    /** Serves a frame, without waiting for what it asks. */
    void serve(FrameReader frame) {
        int kind = frame.u8();
        switch (kind) {
            case Protocol.PROPERTIES -> properties.accept(frame.changes());
            case Protocol.CALL -> {
                int id = frame.u32();
                long user = frame.u64();
                users.computeIfAbsent(user, key -> new User(this)).call(id, frame);
            }
            case Protocol.USER_ENDS -> {
                User user = users.remove(frame.u64());
                if (user != null) {
                    user.end();
                    leaving.removeIf(gone -> !gone.isAlive());
                    leaving.add(user);
                }
            }
            case Protocol.BEGIN -> starter.execute(() -> begin(frame));
            case Protocol.END -> starter.execute(() -> end(frame));
            default -> throw new IllegalArgumentException("unknown kind of frame: " + kind);
        }
    }

    private void begin(FrameReader frame) {
        FrameWriter reply = FrameWriter.frame(Protocol.REPLY);
        reply.u32(frame.u32());
        JMeterContext context = JMeterContextService.getContext();
        context.setVariables(variables);
        context.setEngine(run);
        context.setSamplingStarted(true);
        SampleEvent.initSampleVariables();
        synchronized (prototypes) {
            for (Change variable : frame.texts()) {
                variables.accept(List.of(variable));
            }
            int count = frame.u32();
            for (int i = 0; i < count; i++) {
                int site = frame.u32();
                int start = frame.position();
                Element element = Element.read(frame);
                try {
                    Prototype begun = prototype(site, element, frame.since(start), false);
                    // As JMeter's own: plugins read them from files and the like.
                    if (begun.element instanceof Arguments more) {
                        more.getArgumentsAsMap().forEach(variables::put);
                    }
                } catch (Throwable failed) { // whatever a plugin throws
                    LOG.error("{} ({}) cannot be started", element.name(), element.className(), failed);
                }
            }
            variables.writeChanges(reply);
        }
        sendProperties();
        engine.send(reply);
    }

    /** The site's object; made, and told that the test has started, when it is new. */
    private Prototype prototype(int site, Element element, byte[] written, boolean isSampler)
            throws ReflectiveOperationException {
        Prototype known = prototypes.get(site);
        if (known != null) {
            return known;
        }
        Prototype prototype = new Prototype(isSampler ? elements.makeSampler(element) : elements.make(element));
        fill(prototype, element, written);
        prototypes.put(site, prototype);
        TestBeanHelper.prepare(prototype.element);
        if (prototype.element instanceof TestStateListener listener) {
            listener.testStarted();
        }
        return prototype;
    }

    private void fill(Prototype prototype, Element element, byte[] written)
            throws ReflectiveOperationException {
        if (!Arrays.equals(prototype.filledWith, written)) {
            elements.fill(prototype.element, element);
            prototype.filledWith = written;
        }
    }

    /** A user's own object for a site, without the user's properties; shared if JMeter shares it. */
    TestElement object(int site, Element element, byte[] written, boolean isSampler)
            throws ReflectiveOperationException {
        synchronized (prototypes) {
            Prototype prototype = prototype(site, element, written, isSampler);
            if (prototype.element instanceof NoThreadClone) {
                fill(prototype, element, written);
                return prototype.element;
            }
            TestElement own = (TestElement) prototype.element.clone();
            elements.fill(own, element);
            return own;
        }
    }

    /** The function of a call's site. */
    Function function(int site, String name, int count) throws InvalidVariableException {
        Function known = functions.get(site);
        if (known != null) {
            return known;
        }
        synchronized (functions) {
            known = functions.get(site);
            if (known != null) {
                return known;
            }
            Class<? extends Function> type = CompoundVariable.getFunctionClass(name);
            if (type == null) {
                throw new InvalidVariableException("unknown function " + name);
            }
            try {
                Function made = type.getDeclaredConstructor().newInstance();
                List<CompoundVariable> parameters = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    parameters.add(new Literal(i));
                }
                made.setParameters(parameters);
                functions.put(site, made);
                return made;
            } catch (ReflectiveOperationException failed) {
                throw new InvalidVariableException(failed);
            }
        }
    }

    StandIns.Group group(String name, int planned) {
        return groups.computeIfAbsent(name, key -> new StandIns.Group(key, planned));
    }

    /** What a new user begins with. */
    TrackedVariables variables() {
        TrackedVariables own = new TrackedVariables();
        synchronized (prototypes) {
            own.begin(variables);
        }
        return own;
    }

    void setUsersAtWork(int count) {
        usersAtWork.set(count);
    }

    /** A change of flow that somebody asked for; the user whose thread it is, or the next one. */
    private void ask(Action action) {
        User user = User.current();
        if (user != null) {
            user.ask(action);
        } else {
            askedOutside.add(action);
        }
    }

    /** Takes a change of flow that was asked for outside of any call. */
    Action takeAskedOutside() {
        return askedOutside.poll();
    }

    /** Tells the engine of properties that changed. */
    void sendProperties() {
        FrameWriter changes = properties.changes();
        if (changes != null) {
            engine.send(changes);
        }
    }

    /** As in JMeter, the test ends when its threads have ended; but no script keeps it up. */
    private void awaitUsers() {
        long deadline = System.currentTimeMillis() + USERS_END_MS;
        try {
            for (User user : leaving) {
                user.await(deadline - System.currentTimeMillis());
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(FrameReader frame) {
        FrameWriter reply = FrameWriter.frame(Protocol.REPLY);
        reply.u32(frame.u32());
        awaitUsers();
        List<Prototype> all;
        synchronized (prototypes) {
            all = List.copyOf(prototypes.values());
        }
        for (Prototype prototype : all) {
            if (prototype.element instanceof TestStateListener listener) {
                try {
                    listener.testEnded();
                } catch (Throwable failed) { // whatever a plugin throws
                    LOG.warn("{} could not be ended", prototype.element.getName(), failed);
                }
            }
        }
        sendProperties();
        engine.send(reply);
    }
}
