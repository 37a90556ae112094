package io.plimsoll.lab;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Field case F29: Tomcat's connector is NIO or NIO2, by {@code lab.tomcat.protocol}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(name = "org.apache.catalina.startup.Tomcat")
class TomcatConfiguration {

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcatProtocol(
            @Value("${lab.tomcat.protocol:nio}") String protocol) {
        String name = switch (protocol) {
            case "nio" -> "org.apache.coyote.http11.Http11NioProtocol";
            case "nio2" -> "org.apache.coyote.http11.Http11Nio2Protocol";
            default -> throw new IllegalArgumentException(
                    "lab.tomcat.protocol is \"" + protocol + "\", but must be nio or nio2");
        };
        return factory -> factory.setProtocol(name);
    }
}
