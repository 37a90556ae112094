package org.plimsoll.companion;

import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;

/** What scripts see of a plugin's sampler that the engine runs itself, and that is in no jar here. JMeter clones it. */
public final class Absent extends AbstractSampler {
    private static final long serialVersionUID = 1L;

    private String className = "";

    void standFor(String name) {
        className = name;
    }

    String className() {
        return className;
    }

    @Override
    public SampleResult sample(Entry entry) {
        throw new IllegalStateException(className + " is in no jar here");
    }
}
