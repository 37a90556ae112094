package io.plimsoll.lab;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.web.context.WebServerPortFileWriter;
import org.springframework.context.annotation.Import;

/** The lab service: a real web server whose endpoints and settings show the faults load tests meet. */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import(GeneratedComponents.class)
public class LabApplication {

    /**
     * System property naming the file that receives the port actually bound. The management port
     * goes to the same name with {@code -management} before its extension. This lets a caller bind
     * port 0 and still learn the port, without the race of choosing a free one beforehand.
     */
    static final String PORT_FILE_PROPERTY = "lab.port-file";

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(LabApplication.class);
        String portFile = System.getProperty(PORT_FILE_PROPERTY);
        if (portFile != null) {
            application.addListeners(new WebServerPortFileWriter(portFile));
        }
        application.run(args);
    }
}
