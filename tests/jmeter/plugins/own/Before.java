package own;

import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.threads.JMeterContextService;

public class Before extends AbstractTestElement implements PreProcessor {
    @Override
    public void process() {
        Notes.note("before:" + JMeterContextService.getContext().getCurrentSampler().getName());
    }
}
