package io.plimsoll.lab.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerPortFileWriter;

/** A gateway that sends everything to {@code lab.remote.url}; the route is in its properties. */
@SpringBootApplication
public class GatewayApplication {

    /** As in the lab service: names the file that receives the port actually bound. */
    static final String PORT_FILE_PROPERTY = "lab.port-file";

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(GatewayApplication.class);
        String portFile = System.getProperty(PORT_FILE_PROPERTY);
        if (portFile != null) {
            application.addListeners(new WebServerPortFileWriter(portFile));
        }
        application.run(args);
    }
}
