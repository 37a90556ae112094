package org.plimsoll.companion;

import java.util.List;

/** An element with its texts computed, as the engine sends it. */
record Element(String className, String name, List<Property> properties) {
    /** A property: its value is a String, a List of values, or an Element. */
    record Property(String name, Object value) {}

    private static final int TEXT = 1;
    private static final int LIST = 2;
    private static final int ELEMENT = 3;

    static Element read(FrameReader from) {
        String className = from.text();
        String name = from.text();
        return new Element(className, name,
                from.list(in -> new Property(in.text(), readValue(in))));
    }

    private static Object readValue(FrameReader from) {
        int kind = from.u8();
        return switch (kind) {
            case TEXT -> from.text();
            case LIST -> from.list(Element::readValue);
            case ELEMENT -> read(from);
            default -> throw new IllegalArgumentException("unknown kind of value: " + kind);
        };
    }

    void write(FrameWriter to) {
        to.text(className);
        to.text(name);
        to.u32(properties.size());
        for (Property property : properties) {
            to.text(property.name());
            writeValue(to, property.value());
        }
    }

    private static void writeValue(FrameWriter to, Object value) {
        if (value instanceof List<?> values) {
            to.u8(LIST);
            to.u32(values.size());
            for (Object one : values) {
                writeValue(to, one);
            }
        } else if (value instanceof Element element) {
            to.u8(ELEMENT);
            element.write(to);
        } else {
            to.u8(TEXT);
            to.text((String) value);
        }
    }
}
