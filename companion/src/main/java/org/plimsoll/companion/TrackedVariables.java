package org.plimsoll.companion;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.jmeter.threads.JMeterVariables;
import org.plimsoll.companion.FrameReader.Change;

/**
 * One user's variables. The engine knows them as texts: it is told of each change. What is no
 * text stays here, and the engine knows what {@code ${name}} would show of it.
 */
final class TrackedVariables extends JMeterVariables {
    private final Set<String> changed = new LinkedHashSet<>();
    private int iteration;

    @Override
    public int getIteration() {
        return iteration;
    }

    @Override
    public void incIteration() {
        iteration++;
    }

    void setIteration(int iteration) {
        this.iteration = iteration;
    }

    /** What all users begin with. */
    void begin(JMeterVariables all) {
        super.putAll(all);
        changed.clear();
    }

    /** Changes that come from the engine. */
    void accept(Iterable<Change> changes) {
        for (Change change : changes) {
            String value = change.value();
            if (value == null) {
                super.remove(change.name());
            } else if (!value.equals(shown(super.getObject(change.name())))) {
                super.put(change.name(), value);
            }
        }
    }

    /** Forgets all texts: the engine will say them all again. */
    void reset() {
        String[] names = entrySet().stream()
                .filter(entry -> entry.getValue() instanceof String)
                .map(Map.Entry::getKey)
                .toArray(String[]::new);
        for (String name : names) {
            super.remove(name);
        }
        changed.clear();
    }

    /** Writes the changes since the last time. */
    void writeChanges(FrameWriter to) {
        to.u32(changed.size());
        for (String name : changed) {
            to.text(name);
            to.maybeText(shown(super.getObject(name)));
        }
        changed.clear();
    }

    private static String shown(Object value) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        try {
            return value.toString();
        } catch (RuntimeException | StackOverflowError broken) {
            return value.getClass().getName();
        }
    }

    @Override
    public void put(String name, String value) {
        super.put(name, value);
        changed.add(name);
    }

    @Override
    public void putObject(String name, Object value) {
        super.putObject(name, value);
        changed.add(name);
    }

    @Override
    public void putAll(Map<String, ?> values) {
        super.putAll(values);
        changed.addAll(values.keySet());
    }

    @Override
    public Object remove(String name) {
        changed.add(name);
        return super.remove(name);
    }
}
