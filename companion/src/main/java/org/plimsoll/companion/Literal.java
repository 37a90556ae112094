package org.plimsoll.companion;

import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;

/**
 * An argument of a function: the text that the engine computed for the call at hand. A function's
 * object serves all users, as in JMeter, so the texts are kept by thread.
 */
final class Literal extends CompoundVariable {
    private static final ThreadLocal<String[]> TEXTS = new ThreadLocal<>();

    private final int index;

    Literal(int index) {
        this.index = index;
    }

    /** The arguments of the call that this thread makes now. */
    static void set(String[] texts) {
        TEXTS.set(texts);
    }

    @Override
    public String execute() {
        String[] texts = TEXTS.get();
        return texts != null && index < texts.length ? texts[index] : "";
    }

    @Override
    public String execute(SampleResult previous, Sampler sampler) {
        return execute();
    }

    @Override
    public String getRawParameters() {
        return execute();
    }

    @Override
    public CompoundVariable getFunction() {
        return this;
    }
}
