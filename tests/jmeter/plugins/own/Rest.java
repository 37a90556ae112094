package own;

import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.timers.Timer;

public class Rest extends AbstractTestElement implements Timer {
    @Override
    public long delay() {
        Notes.note("rest:" + getPropertyAsString("Rest.ms"));
        return getPropertyAsLong("Rest.ms");
    }
}
