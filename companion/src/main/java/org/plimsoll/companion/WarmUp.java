package org.plimsoll.companion;

import javax.script.ScriptEngine;
import javax.script.ScriptException;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.util.JSR223TestElement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads what nearly every test needs, so that no user's first sample waits for it. */
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private WarmUp() {}

    static void run() {
        try {
            CompoundVariable.getFunctionClass("__groovy"); // looks for all functions
            ScriptEngine groovy = JSR223TestElement.getInstance().getEngineByName("groovy");
            if (groovy != null) {
                groovy.eval("def all = [1, 2].collect { it + 1 }; \"${all.sum()}\".length()");
            }
        } catch (ScriptException | RuntimeException | LinkageError failed) {
            LOG.warn("Groovy does not work", failed);
        }
    }
}
