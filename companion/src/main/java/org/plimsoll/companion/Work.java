package org.plimsoll.companion;

import java.util.List;
import org.apache.jmeter.assertions.Assertion;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.engine.event.LoopIterationEvent;
import org.apache.jmeter.engine.event.LoopIterationListener;
import org.apache.jmeter.engine.util.ConfigMergabilityIndicator;
import org.apache.jmeter.engine.util.NoConfigMerge;
import org.apache.jmeter.functions.Function;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.AbstractScopedAssertion;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestIterationListener;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.timers.Timer;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.util.JMeterError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what one call asks for, as JMeter's thread would. */
final class Work {
    private static final Logger LOG = LoggerFactory.getLogger(Work.class);
    /** How deep a scoped assertion goes into sub-results. */
    private static final int DEEPEST = 4;

    private final User user;
    private final Test test;
    private final JMeterContext context;

    Work(User user, Test test, JMeterContext context) {
        this.user = user;
        this.test = test;
        this.context = context;
    }

    void run(int kind, FrameReader frame, FrameWriter outcome)
            throws ReflectiveOperationException, InvalidVariableException {
        switch (kind) {
            case Protocol.FUNCTION -> {
                String text = function(frame);
                outcome.u8(Protocol.TEXT);
                outcome.text(text);
            }
            case Protocol.SAMPLE -> sample(outcome);
            case Protocol.TIMER -> {
                long delay = delay((Timer) prepared(frame));
                outcome.u8(Protocol.DELAY);
                outcome.u64(Math.max(0, delay));
            }
            default -> {
                process(kind, prepared(frame));
                outcome.u8(Protocol.DONE);
            }
        }
    }

    private TestElement prepared(FrameReader frame) throws ReflectiveOperationException {
        TestElement element = user.site(frame).object();
        TestBeanHelper.prepare(element);
        return element;
    }

    private String function(FrameReader frame) throws InvalidVariableException {
        String name = frame.text();
        int site = frame.u32();
        String[] args = frame.list(FrameReader::text).toArray(String[]::new);
        Function function = test.function(site, name, args.length);
        Literal.set(args);
        try {
            return function.execute(user.previous(), user.sampler());
        } finally {
            Literal.set(null);
        }
    }

    private void process(int kind, TestElement element) {
        switch (kind) {
            case Protocol.PRE -> ((PreProcessor) element).process();
            case Protocol.POST -> ((PostProcessor) element).process();
            case Protocol.ASSERTION -> check((Assertion) element, user.previous());
            case Protocol.LISTENER -> ((SampleListener) element).sampleOccurred(
                    new SampleEvent(user.previous(), user.group().getName(), user.variables()));
            case Protocol.PASS -> pass(element);
            default -> throw new IllegalArgumentException("unknown work: " + kind);
        }
    }

    private void pass(TestElement element) {
        LoopIterationEvent event = new LoopIterationEvent(null, user.variables().getIteration());
        if (element instanceof TestIterationListener listener) {
            listener.testIterationStart(event);
        }
        if (element instanceof LoopIterationListener listener) {
            listener.iterationStart(event);
        }
    }

    private static long delay(Timer timer) {
        long delay = timer.delay();
        float factor = JMeterUtils.getPropDefault("timer.factor", 1.0f);
        return factor != 1.0f && timer.isModifiable() ? Math.round(delay * (double) factor) : delay;
    }

    /** Gives a sampler its configuration, the nearest first. */
    static void configure(Sampler sampler, List<TestElement> configs) {
        sampler.recoverRunningVersion();
        sampler.clearTestElementChildren();
        for (TestElement config : configs) {
            if (!(config instanceof ConfigTestElement plain) || config instanceof NoConfigMerge) {
                continue;
            }
            boolean said = !plain.getPropertyAsString(TestElement.GUI_CLASS).isEmpty();
            if (!said || !(sampler instanceof ConfigMergabilityIndicator choosy)
                    || choosy.applies(plain)) {
                sampler.addTestElement(config);
            }
        }
    }

    @SuppressWarnings("deprecation") // samplers read it
    private void sample(FrameWriter outcome) {
        Sampler sampler = user.sampler();
        if (sampler == null) {
            throw new IllegalStateException("no sampler to sample");
        }
        sampler.setThreadContext(context);
        sampler.setThreadName(user.threadName());
        TestBeanHelper.prepare(sampler);
        SampleResult result;
        user.setSampling(sampler);
        try {
            result = sampler.sample(null);
        } finally {
            user.setSampling(null);
            user.samplerUsed();
        }
        if (result == null) {
            outcome.u8(Protocol.NO_RESULT);
            return;
        }
        user.sampled(result);
        outcome.u8(Protocol.RESULT);
        Results.writeNew(outcome, result);
    }

    private static void check(Assertion assertion, SampleResult result) {
        if (result == null) {
            throw new IllegalStateException("no result to check");
        }
        if (!(assertion instanceof AbstractScopedAssertion scoped)) {
            checkOne(assertion, result);
            return;
        }
        String scope = scoped.fetchScope();
        boolean all = scoped.isScopeAll(scope);
        if (all || scoped.isScopeParent(scope) || scoped.isScopeVariable(scope)) {
            checkOne(assertion, result);
        }
        if (all || scoped.isScopeChildren(scope)) {
            checkParts(assertion, result, DEEPEST);
        }
    }

    private static void checkParts(Assertion assertion, SampleResult result, int levels) {
        if (levels == 0) {
            return;
        }
        boolean failed = false;
        for (SampleResult part : result.getSubResults()) {
            checkOne(assertion, part);
            checkParts(assertion, part, levels - 1);
            failed |= !part.isSuccessful();
        }
        if (failed && result.isSuccessful()) {
            AssertionResult found = new AssertionResult(((TestElement) assertion).getName());
            found.setResultForFailure("One or more sub-samples failed");
            result.addAssertionResult(found);
            result.setSuccessful(false);
        }
    }

    /** An assertion that throws has failed (an AssertionError) or could not be checked. */
    private static void checkOne(Assertion assertion, SampleResult result) {
        AssertionResult found;
        try {
            found = assertion.getResult(result);
        } catch (AssertionError failed) {
            found = new AssertionResult("Assertion failed! See log file (debug level, only).");
            found.setFailure(true);
            found.setFailureMessage(failed.toString());
        } catch (JMeterError | RuntimeException broken) {
            LOG.error("Error processing Assertion.", broken);
            found = new AssertionResult("Assertion failed! See log file.");
            found.setError(true);
            found.setFailureMessage(broken.toString());
        }
        result.setSuccessful(result.isSuccessful() && !found.isError() && !found.isFailure());
        result.addAssertionResult(found);
    }
}
