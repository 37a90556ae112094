package own;

import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.threads.JMeterContextService;

public class After extends AbstractTestElement implements PostProcessor {
    @Override
    public void process() {
        SampleResult previous = JMeterContextService.getContext().getPreviousResult();
        Notes.note("after:" + previous.getResponseCode());
        Notes.variables().put(getPropertyAsString("After.variable"), previous.getResponseDataAsString());
    }
}
