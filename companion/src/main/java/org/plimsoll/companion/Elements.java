package org.plimsoll.companion;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.samplers.SampleSaveConfiguration;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.CollectionProperty;
import org.apache.jmeter.testelement.property.JMeterProperty;
import org.apache.jmeter.testelement.property.MapProperty;
import org.apache.jmeter.testelement.property.MultiProperty;
import org.apache.jmeter.testelement.property.NullProperty;
import org.apache.jmeter.testelement.property.ObjectProperty;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jmeter.testelement.property.StringProperty;
import org.apache.jmeter.testelement.property.TestElementProperty;
import org.apache.jmeter.util.JMeterUtils;

/** Makes JMeter's elements from the engine's, and the other way round. */
final class Elements {
    private static final String MAP = "Map";
    private static final String SAVE_CONFIGURATION = "SampleSaveConfiguration";
    private static final String JMETER = "org.apache.jmeter.";

    /** Full names of JMeter's classes by their simple ones and by JMeter's aliases. */
    private final Map<String, String> fullNames = new ConcurrentHashMap<>();
    private final Map<String, Class<?>> classes = new ConcurrentHashMap<>();
    private final Map<Class<?>, List<JMeterProperty>> defaults = new ConcurrentHashMap<>();

    Elements() throws IOException {
        Properties aliases = new Properties();
        Path file = Path.of(JMeterUtils.getJMeterHome(), "bin", "saveservice.properties");
        try (InputStream in = Files.newInputStream(file)) {
            aliases.load(in);
        }
        aliases.forEach((alias, fullName) -> {
            String name = (String) fullName;
            fullNames.putIfAbsent((String) alias, name);
            fullNames.put(name.substring(name.lastIndexOf('.') + 1), name);
        });
    }

    /** A new, empty object of the sampler's class; a stand-in if the engine runs it and no jar is here. */
    TestElement makeSampler(Element element) throws ReflectiveOperationException {
        try {
            classOf(element.className());
        } catch (ClassNotFoundException absent) {
            return new Absent();
        }
        return make(element);
    }

    /** A new, empty object of the element's class. */
    TestElement make(Element element) throws ReflectiveOperationException {
        Object made = classOf(element.className()).getDeclaredConstructor().newInstance();
        if (made instanceof TestElement testElement) {
            return testElement;
        }
        throw new ReflectiveOperationException(element.className() + " is no JMeter element");
    }

    private Class<?> classOf(String name) throws ClassNotFoundException {
        Class<?> known = classes.get(name);
        if (known == null) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            known = Class.forName(fullNames.getOrDefault(name, name), true, loader);
            classes.put(name, known);
        }
        return known;
    }

    /** Gives an object the element's properties and no others. */
    void fill(TestElement target, Element element) throws ReflectiveOperationException {
        target.setRunningVersion(false);
        target.clear();
        for (JMeterProperty own : defaults(target.getClass())) {
            target.setProperty(own.clone());
        }
        for (Element.Property property : element.properties()) {
            target.setProperty(property(property.name(), property.value()));
        }
        // Samplers ask which kind of defaults a configuration is for.
        String guiClass = target.getPropertyAsString(TestElement.GUI_CLASS);
        if (fullNames.containsKey(guiClass)) {
            target.setProperty(new StringProperty(TestElement.GUI_CLASS, fullNames.get(guiClass)));
        }
        target.setProperty(new StringProperty(TestElement.NAME, element.name()));
        if (target instanceof Absent absent) {
            absent.standFor(element.className());
        }
        target.setRunningVersion(true);
    }

    /** What an object of the class has from its constructor. */
    private List<JMeterProperty> defaults(Class<? extends TestElement> type)
            throws ReflectiveOperationException {
        List<JMeterProperty> known = defaults.get(type);
        if (known == null) {
            known = new ArrayList<>();
            PropertyIterator all = type.getDeclaredConstructor().newInstance().propertyIterator();
            while (all.hasNext()) {
                known.add(all.next());
            }
            defaults.put(type, known);
        }
        return known;
    }

    private JMeterProperty property(String name, Object value) throws ReflectiveOperationException {
        if (value instanceof String text) {
            return new StringProperty(name, text);
        }
        if (value instanceof List<?> values) {
            List<JMeterProperty> items = new ArrayList<>(values.size());
            for (Object item : values) {
                items.add(property(itemName(item), item));
            }
            return new CollectionProperty(name, items);
        }
        Element element = (Element) value;
        return switch (element.className()) {
            case MAP -> map(name, element);
            case SAVE_CONFIGURATION -> new ObjectProperty(name, saveConfiguration(element));
            default -> {
                TestElement within = make(element);
                fill(within, element);
                yield new TestElementProperty(name, within);
            }
        };
    }

    /** JMeter names the items of its collections: elements by their name, texts by themselves. */
    private static String itemName(Object item) {
        if (item instanceof Element element) {
            return element.name();
        }
        return item instanceof String text ? Integer.toString(text.hashCode()) : "";
    }

    private MapProperty map(String name, Element element) throws ReflectiveOperationException {
        Map<String, JMeterProperty> values = new LinkedHashMap<>();
        for (Element.Property property : element.properties()) {
            values.put(property.name(), property(property.name(), property.value()));
        }
        return new MapProperty(name, values);
    }

    private static SampleSaveConfiguration saveConfiguration(Element element) {
        SampleSaveConfiguration configuration = new SampleSaveConfiguration();
        for (Element.Property property : element.properties()) {
            if (property.value() instanceof String text) {
                setField(configuration, property.name(), text);
            }
        }
        return configuration;
    }

    /** In a plan each flag has the name of its field. */
    private static void setField(SampleSaveConfiguration configuration, String name, String text) {
        try {
            Field field = SampleSaveConfiguration.class.getDeclaredField(name);
            field.setAccessible(true);
            if (field.getType() == boolean.class) {
                field.setBoolean(configuration, Boolean.parseBoolean(text));
            } else if (field.getType() == int.class) {
                field.setInt(configuration, Integer.parseInt(text.trim()));
            }
        } catch (ReflectiveOperationException | NumberFormatException unknown) {
            // A flag of another version.
        }
    }

    /** What an object is now. */
    static Element of(TestElement source) {
        List<Element.Property> properties = new ArrayList<>();
        PropertyIterator all = source.propertyIterator();
        while (all.hasNext()) {
            JMeterProperty property = all.next();
            Object value = valueOf(property);
            if (value != null && !TestElement.NAME.equals(property.getName())) {
                properties.add(new Element.Property(property.getName(), value));
            }
        }
        String name = source.getName();
        String of = source instanceof Absent absent ? absent.className() : nameOf(source.getClass());
        return new Element(of, name == null ? "" : name, properties);
    }

    private static String nameOf(Class<?> type) {
        return type.getName().startsWith(JMETER) ? type.getSimpleName() : type.getName();
    }

    private static Object valueOf(JMeterProperty property) {
        if (property instanceof NullProperty || property instanceof ObjectProperty) {
            return null;
        }
        if (property instanceof TestElementProperty element) {
            return element.getElement() == null ? null : of(element.getElement());
        }
        if (property instanceof MapProperty map) {
            List<Element.Property> values = new ArrayList<>();
            PropertyIterator all = map.valueIterator();
            while (all.hasNext()) {
                JMeterProperty value = all.next();
                values.add(new Element.Property(value.getName(), valueOf(value)));
            }
            return new Element(MAP, "", values);
        }
        if (property instanceof MultiProperty collection) {
            List<Object> values = new ArrayList<>();
            for (JMeterProperty item : collection) {
                Object value = valueOf(item);
                if (value != null) {
                    values.add(value);
                }
            }
            return values;
        }
        String text = property.getStringValue();
        return text == null ? "" : text;
    }
}
