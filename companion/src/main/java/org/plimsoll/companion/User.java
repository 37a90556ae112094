package org.plimsoll.companion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.Interruptible;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContext.TestLogicalAction;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jorphan.util.JMeterStopTestException;
import org.apache.jorphan.util.JMeterStopTestNowException;
import org.apache.jorphan.util.JMeterStopThreadException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One user of the engine: its Java thread (JMeter has one for each user too, and libraries keep
 * things by thread), its context, variables and objects.
 */
final class User {
    private static final Logger LOG = LoggerFactory.getLogger(User.class);
    private static final ThreadLocal<User> CURRENT = new ThreadLocal<>();

    private record Call(int id, FrameReader frame) {}

    private static final Call LAST = new Call(0, null);

    private final Test test;
    private final LinkedBlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private final Map<Integer, TestElement> objects = new HashMap<>();
    private final Set<Action> asked = EnumSet.noneOf(Action.class);
    private Thread thread;
    private volatile Sampler sampling;

    private TrackedVariables variables;
    private JMeterContext context;
    private StandIns.Group group;
    private String threadName = "";

    private SampleResult previous;
    private Results.Agreed agreed;
    /** What {@link #previous} asked for and the engine knows. */
    private final Set<Action> known = EnumSet.noneOf(Action.class);

    private Sampler sampler;
    private List<Integer> configured = List.of();
    private byte[] samplerAgreed;

    User(Test test) {
        this.test = test;
    }

    /** The user whose thread asks; {@code null} on other threads. */
    static User current() {
        return CURRENT.get();
    }

    void ask(Action action) {
        synchronized (asked) {
            asked.add(action);
        }
    }

    /** Takes a call; the user's thread does it when it has done those before. */
    void call(int id, FrameReader frame) {
        calls.add(new Call(id, frame));
        if (thread == null) {
            thread = new Thread(this::work, "user");
            thread.setDaemon(true);
            thread.start();
        }
    }

    void end() {
        calls.add(LAST);
        // The engine gave up waiting for it.
        if (sampling instanceof Interruptible running) {
            Thread interrupter = new Thread(running::interrupt, "interrupter");
            interrupter.setDaemon(true);
            interrupter.start();
        }
    }

    /** Which sampler is sampling now; {@code null} when it is done. */
    void setSampling(Sampler sampler) {
        sampling = sampler;
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Waits for the user's thread to end, for some time. */
    void await(long mostMs) throws InterruptedException {
        thread.join(Math.max(1, mostMs));
    }

    private void work() {
        CURRENT.set(this);
        context = JMeterContextService.getContext();
        while (true) {
            try {
                Call call = calls.take();
                if (call == LAST) {
                    finish();
                    return;
                }
                FrameWriter reply = reply(call);
                test.sendProperties();
                test.engine.send(reply);
                Thread.interrupted(); // a script's interruption ends with its call
            } catch (InterruptedException stray) {
                // Somebody interrupted a thread that had nothing to do.
            }
        }
    }

    private void finish() {
        for (TestElement object : objects.values()) {
            if (object instanceof ThreadListener listener) {
                try {
                    listener.threadFinished();
                } catch (Throwable failed) { // whatever a plugin throws
                    LOG.error("{} could not end with its thread", object.getName(), failed);
                }
            }
        }
        context.clear();
    }

    /** Does a call; whatever happens, there is an answer. */
    private FrameWriter reply(Call call) {
        FrameWriter reply = FrameWriter.frame(Protocol.REPLY);
        reply.u32(call.id());
        FrameWriter outcome = FrameWriter.part();
        boolean watchSampler = false;
        try {
            FrameReader frame = call.frame();
            readMoment(frame);
            int kind = frame.u8();
            watchSampler = sampler != null && (kind == Protocol.PRE || kind == Protocol.TIMER);
            if (watchSampler && samplerAgreed == null) {
                samplerAgreed = written(sampler);
            }
            new Work(this, test, context).run(kind, frame, outcome);
        } catch (Throwable failed) { // whatever a script throws
            outcome = failed(failed);
        }
        reply.raw(outcome.written());
        try {
            writeChanges(reply, watchSampler);
        } catch (Throwable broken) {
            // An object of a script that cannot be written, or no memory: the call has failed.
            reply = FrameWriter.frame(Protocol.REPLY);
            reply.u32(call.id());
            reply.raw(failed(broken).written());
            for (int i = 0; i < 4; i++) {
                writeNothing(reply, i);
            }
        }
        return reply;
    }

    /** No variables, no result, no sampler, no actions. */
    private static void writeNothing(FrameWriter to, int part) {
        if (part == 0 || part == 3) {
            to.u32(0);
        } else {
            to.flag(false);
        }
    }

    private FrameWriter failed(Throwable failed) {
        if (failed instanceof JMeterStopTestNowException) {
            ask(Action.STOP_RUN_NOW);
        } else if (failed instanceof JMeterStopTestException) {
            ask(Action.STOP_RUN);
        } else if (failed instanceof JMeterStopThreadException) {
            ask(Action.STOP_USER);
        } else {
            if (failed instanceof ThreadDeath) {
                ask(Action.STOP_USER);
            }
            LOG.error("Error while processing an element of {}", threadName, failed);
        }
        FrameWriter outcome = FrameWriter.part();
        outcome.u8(Protocol.FAILED);
        outcome.text(failed.toString());
        return outcome;
    }

    private void readMoment(FrameReader frame) throws ReflectiveOperationException {
        boolean reset = frame.flag();
        if (frame.flag()) {
            begin(frame);
        } else if (reset) {
            variables.reset();
        }
        variables.setIteration((int) frame.u64());
        group.setAtWork(frame.u32());
        test.setUsersAtWork(frame.u32());
        context.getThread().setEndTime(frame.u64());
        variables.accept(frame.changes());
        readPrevious(frame);
        readSampler(frame);
    }

    private void begin(FrameReader frame) {
        threadName = frame.text();
        Thread.currentThread().setName(threadName);
        String groupName = frame.text();
        int number = frame.u32();
        group = test.group(groupName, frame.u32());
        boolean sameUser = frame.flag();
        variables = test.variables();
        variables.putObject("__jmv_SAME_USER", sameUser);
        variables.writeChanges(FrameWriter.part());
        context.setVariables(variables);
        context.setThreadNum(number);
        context.setThread(new StandIns.Member(threadName, number, group, test.run, this::ask));
        context.setThreadGroup(group);
        context.setEngine(test.run);
        context.setSamplingStarted(true);
    }

    private void readPrevious(FrameReader frame) {
        int kind = frame.u8();
        if (kind == 0) {
            setPrevious(null);
        } else if (kind == 2) {
            setPrevious(Results.read(frame));
        }
    }

    /** A result that the engine has as well. */
    private void setPrevious(SampleResult result) {
        previous = result;
        agreed = result == null ? null : new Results.Agreed(result);
        known.clear();
        context.setPreviousResult(result);
        context.getSamplerContext().clear();
    }

    /** What a sampler brought back: the engine gets it now, with the thread's own facts. */
    void sampled(SampleResult result) {
        int ofGroup = group.getNumberOfThreads();
        int ofAll = JMeterContextService.getNumberOfThreads();
        fill(result, ofGroup, ofAll);
        for (SampleResult part : result.getSubResults()) {
            fill(part, ofGroup, ofAll);
        }
        setPrevious(result);
    }

    private void fill(SampleResult result, int ofGroup, int ofAll) {
        result.setGroupThreads(ofGroup);
        result.setAllThreads(ofAll);
        result.setThreadName(threadName);
    }

    private void readSampler(FrameReader frame) throws ReflectiveOperationException {
        boolean there = frame.flag();
        boolean changed = false;
        Sampler now = null;
        if (there) {
            Site site = site(frame, true);
            changed = site.changed();
            now = (Sampler) site.object();
        }
        int count = frame.u32();
        List<Integer> sites = new ArrayList<>(count);
        List<TestElement> configs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Site site = site(frame);
            changed |= site.changed();
            sites.add(site.number());
            configs.add(site.object());
        }
        boolean same = now == sampler && !changed && sites.equals(configured);
        if (now != sampler) {
            sampler = now;
            context.setCurrentSampler(now);
        }
        if (now != null && !same) {
            configured = sites;
            samplerAgreed = null;
            Work.configure(now, configs);
        }
    }

    /** The sampler must be configured again before it is used. */
    void samplerUsed() {
        configured = null;
    }

    record Site(int number, TestElement object, boolean changed) {}

    /** The user's object for a site, with the properties of now. */
    Site site(FrameReader frame) throws ReflectiveOperationException {
        return site(frame, false);
    }

    private Site site(FrameReader frame, boolean isSampler) throws ReflectiveOperationException {
        int number = frame.u32();
        boolean changed = frame.flag();
        TestElement object = objects.get(number);
        if (!changed) {
            if (object == null) {
                throw new IllegalStateException("nothing is known of site " + number);
            }
            return new Site(number, object, false);
        }
        int start = frame.position();
        Element element = Element.read(frame);
        byte[] written = frame.since(start);
        if (object == null || object instanceof NoThreadClone) {
            boolean isNew = object == null;
            object = test.object(number, element, written, isSampler);
            objects.put(number, object);
            if (isNew && object instanceof ThreadListener listener) {
                listener.threadStarted();
            }
        } else {
            test.elements.fill(object, element);
        }
        return new Site(number, object, true);
    }

    private static byte[] written(TestElement element) {
        FrameWriter part = FrameWriter.part();
        Elements.of(element).write(part);
        return part.written();
    }

    private void writeChanges(FrameWriter reply, boolean watchSampler) {
        variables.writeChanges(reply);
        collectAsked();
        byte[] result = previous == null ? null : agreed.changes(previous);
        reply.flag(result != null);
        if (result != null) {
            reply.raw(result);
            agreed = new Results.Agreed(previous);
        }
        byte[] changed = null;
        if (watchSampler) {
            byte[] now = written(sampler);
            changed = Arrays.equals(now, samplerAgreed) ? null : now;
        }
        reply.flag(changed != null);
        if (changed != null) {
            reply.raw(changed);
            samplerAgreed = changed;
        }
        synchronized (asked) {
            reply.u32(asked.size());
            asked.forEach(action -> reply.u8(action.number));
            asked.clear();
        }
    }

    private void collectAsked() {
        Action logical = Action.of(context.getTestLogicalAction());
        if (logical != null) {
            ask(logical);
            context.setTestLogicalAction(TestLogicalAction.CONTINUE);
        }
        Set<Action> byResult = EnumSet.noneOf(Action.class);
        Action.addAskedBy(previous, byResult);
        byResult.removeAll(known);
        known.addAll(byResult);
        byResult.forEach(this::ask);
        for (Action outside = test.takeAskedOutside(); outside != null; outside = test.takeAskedOutside()) {
            ask(outside);
        }
    }

    SampleResult previous() {
        return previous;
    }

    Sampler sampler() {
        return sampler;
    }

    String threadName() {
        return threadName;
    }

    StandIns.Group group() {
        return group;
    }

    TrackedVariables variables() {
        return variables;
    }
}
