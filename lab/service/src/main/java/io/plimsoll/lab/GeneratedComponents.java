package io.plimsoll.lab;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;

/** Finds the components of a case (lab/faults) in the packages that {@code lab.generated.package} names. */
final class GeneratedComponents implements ImportBeanDefinitionRegistrar {

    private static final String PACKAGES = "lab.generated.package";

    private final Environment environment;
    private final ResourceLoader resources;

    GeneratedComponents(Environment environment, ResourceLoader resources) {
        this.environment = environment;
        this.resources = resources;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        ClassPathBeanDefinitionScanner scanner =
                new ClassPathBeanDefinitionScanner(registry, true, environment, resources);
        for (String name : environment.getProperty(PACKAGES, String[].class, new String[0])) {
            // The count includes Spring's own processors unless they are there already, as they are here.
            if (scanner.scan(name) == 0) {
                throw new IllegalArgumentException(PACKAGES + " names the package \"" + name
                        + "\", but no component of it is on the class path (-Dloader.path)");
            }
        }
    }
}
