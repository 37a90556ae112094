package org.plimsoll.companion;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.plimsoll.companion.FrameReader.Change;

/**
 * JMeter's properties, which scripts change as they like. The engine is told of each change of a
 * text; other objects stay here.
 */
final class TrackedProperties extends Properties {
    private static final long serialVersionUID = 1L;

    private transient Map<String, String> changed;
    private transient volatile boolean dirty;

    TrackedProperties(Properties defaults) {
        super(defaults);
    }

    /** Changes from now on are the engine's business. */
    synchronized void track() {
        changed = new HashMap<>();
    }

    /** Changes that come from the engine. */
    synchronized void accept(Iterable<Change> changes) {
        for (Change change : changes) {
            if (change.value() == null) {
                super.remove(change.name());
            } else {
                super.put(change.name(), change.value());
            }
        }
    }

    /** A frame with the changes since the last one; {@code null} when there are none. */
    FrameWriter changes() {
        if (!dirty) {
            return null;
        }
        synchronized (this) {
            dirty = false;
            FrameWriter frame = FrameWriter.frame(Protocol.PROPERTIES_CHANGED);
            frame.u32(0);
            frame.u32(changed.size());
            changed.forEach((name, value) -> {
                frame.text(name);
                frame.maybeText(value);
            });
            changed.clear();
            return frame;
        }
    }

    private void note(Object name, Object value) {
        if (changed != null && name instanceof String && (value == null || value instanceof String)) {
            changed.put((String) name, (String) value);
            dirty = true;
        }
    }

    @Override
    public synchronized Object put(Object name, Object value) {
        Object before = super.put(name, value);
        if (!value.equals(before)) {
            note(name, value);
        }
        return before;
    }

    @Override
    public synchronized void putAll(Map<?, ?> values) {
        values.forEach(this::put);
    }

    @Override
    public synchronized Object remove(Object name) {
        Object before = super.remove(name);
        if (before != null) {
            note(name, null);
        }
        return before;
    }

    @Override
    public synchronized void clear() {
        for (Object name : keySet().toArray()) {
            remove(name);
        }
    }
}
