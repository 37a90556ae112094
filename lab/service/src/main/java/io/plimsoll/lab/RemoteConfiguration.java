package io.plimsoll.lab;

import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.ClientHttpRequestFactorySettings.Redirects;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestTemplate;

/** The client of the system behind this one, with connections that are kept. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("lab.remote.url")
class RemoteConfiguration {

    @Bean
    RestTemplate remote(RestTemplateBuilder builder, LabProperties properties) {
        LabProperties.Remote remote = properties.remote();
        Duration timeout = Duration.ofMillis(remote.timeoutMs());
        return builder
                .rootUri(remote.url())
                .requestFactoryBuilder(ClientHttpRequestFactoryBuilder.httpComponents()
                        .withConnectionManagerCustomizer(connections -> connections
                                .setMaxConnPerRoute(remote.maxConnections())
                                .setMaxConnTotal(remote.maxConnections()))
                        .withDefaultRequestConfigCustomizer(request -> request.setConnectionRequestTimeout(
                                org.apache.hc.core5.util.Timeout.of(timeout))))
                .connectTimeout(timeout)
                .readTimeout(timeout)
                .redirects(Redirects.DONT_FOLLOW)
                .build();
    }
}
