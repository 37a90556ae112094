package io.plimsoll.lab.tomcat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.startup.Tomcat;

/**
 * A Tomcat on 127.0.0.1 with one connector of the kind asked for. The port is the kernel's choice
 * unless it is given, and is written to a file. Arguments are {@code --name=value}; a connector's attributes are
 * Tomcat's own, such as {@code --maxThreads=800}.
 */
public final class Main {

    private static final Map<String, String> PROTOCOLS = Map.of(
            "bio", "org.apache.coyote.http11.Http11Protocol",
            "nio", "org.apache.coyote.http11.Http11NioProtocol",
            "nio2", "org.apache.coyote.http11.Http11Nio2Protocol",
            "apr", "org.apache.coyote.http11.Http11AprProtocol");

    private Main() {}

    public static void main(String[] args) throws IOException, LifecycleException {
        Map<String, String> settings;
        try {
            settings = settings(args);
        } catch (IllegalArgumentException mistake) {
            System.err.println("lab-tomcat: " + mistake.getMessage());
            System.exit(2);
            return;
        }
        Path portFile = Path.of(settings.remove("port-file"));
        String protocol = settings.remove("protocol");
        int port = Integer.parseInt(settings.remove("port"));
        long sleepMs = Long.parseLong(settings.remove("sleep-ms"));
        // Tomcat keeps nothing in it but an empty folder.
        Path folder = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();

        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        if (protocol.equals("apr")) {
            tomcat.getServer().addLifecycleListener(new AprLifecycleListener());
        }
        Connector connector = new Connector(PROTOCOLS.get(protocol));
        connector.setPort(port); // 8.0 does not learn it from a property
        settings.forEach(connector::setProperty);
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);

        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "hello", new HelloServlet(sleepMs)).addMapping("/hello");
        tomcat.start();
        // Tomcat only logs what keeps a connector from starting.
        if (connector.getState() != LifecycleState.STARTED || connector.getLocalPort() <= 0) {
            System.err.println("lab-tomcat: the connector \"" + protocol + "\" does not start in "
                    + org.apache.catalina.util.ServerInfo.getServerInfo() + "; the lines above say why");
            System.exit(1);
        }
        Path aside = portFile.resolveSibling(portFile.getFileName() + ".new");
        Files.writeString(aside, Integer.toString(connector.getLocalPort()));
        Files.move(aside, portFile, StandardCopyOption.ATOMIC_MOVE); // nobody reads half a number
        tomcat.getServer().await();
    }

    private static Map<String, String> settings(String[] args) {
        Map<String, String> settings = new LinkedHashMap<>(
                Map.of("protocol", "nio", "sleep-ms", "600", "port", "0", "address", "127.0.0.1"));
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (!arg.startsWith("--") || equals < 3) {
                throw new IllegalArgumentException("\"" + arg + "\" is not of the form --name=value");
            }
            settings.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        if (!settings.containsKey("port-file")) {
            throw new IllegalArgumentException("--port-file=FILE is missing");
        }
        if (!PROTOCOLS.containsKey(settings.get("protocol"))) {
            throw new IllegalArgumentException("--protocol must be one of "
                    + PROTOCOLS.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
        if (!settings.get("sleep-ms").matches("\\d{1,6}")) {
            throw new IllegalArgumentException("--sleep-ms must be whole ms, up to 999999");
        }
        if (!settings.get("port").matches("\\d{1,5}")) {
            throw new IllegalArgumentException("--port must be a port, 0 for one of the kernel's choice");
        }
        return settings;
    }
}
