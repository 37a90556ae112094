package org.plimsoll.companion;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.util.JMeterUtils;
import org.plimsoll.companion.FrameReader.Change;

/** What JMeter's classes expect to find around them: a home, properties, a locale, a base folder. */
final class Surroundings {
    private Surroundings() {}

    /** Makes them, and gives JMeter's properties. */
    static TrackedProperties prepare(Path home, FrameReader setup)
            throws IOException, ReflectiveOperationException {
        String planFile = setup.text();
        String planFolder = setup.text();
        List<Change> ofPlan = setup.texts();
        // As in the system.properties that JMeter comes with: samplers may set any header.
        System.getProperties().putIfAbsent("sun.net.http.allowRestrictedHeaders", "true");
        for (Change property : setup.texts()) {
            System.getProperties().setProperty(property.name(), property.value());
        }
        TrackedProperties properties = new TrackedProperties(System.getProperties());
        JMeterUtils.setJMeterHome(home.toString());
        load(properties, home.resolve("bin/jmeter.properties"));
        load(properties, home.resolve("bin/user.properties"));
        for (Change property : ofPlan) {
            properties.setProperty(property.name(), property.value());
        }
        // JMeter's only way to set its properties is to read them from a file.
        Field field = JMeterUtils.class.getDeclaredField("appProperties");
        field.setAccessible(true);
        field.set(null, properties);
        JMeterUtils.initLocale();
        FileServer files = FileServer.getFileServer();
        if (!planFolder.isEmpty()) {
            files.setBase(new File(planFolder).getAbsoluteFile());
        }
        files.setScriptName(planFile.isEmpty() ? null : new File(planFile).getName());
        properties.track();
        return properties;
    }

    private static void load(Properties properties, Path file) throws IOException {
        if (Files.isReadable(file)) {
            try (InputStream in = Files.newInputStream(file)) {
                properties.load(in);
            }
        }
    }
}
