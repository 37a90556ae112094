package own;

import org.apache.jmeter.config.ConfigTestElement;

/** Configures samplers below it. */
public class Salt extends ConfigTestElement { }
