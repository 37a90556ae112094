package own;

import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;

/** Says its text, its configuration's, and how often it was called. */
public class Echo extends AbstractSampler {
    private int calls;

    @Override
    public SampleResult sample(Entry entry) {
        SampleResult result = new SampleResult();
        result.setSampleLabel(getName());
        result.sampleStart();
        String salt = getPropertyAsString("Salt.value", "none");
        result.setSamplerData("echo " + getPropertyAsString("Echo.text"));
        result.setResponseData(getPropertyAsString("Echo.text") + " " + salt + " " + ++calls, "UTF-8");
        result.setDataType(SampleResult.TEXT);
        result.setResponseCode("299");
        result.setResponseMessage("echoed");
        result.setSuccessful(!getPropertyAsBoolean("Echo.fails"));
        result.sampleEnd();
        return result;
    }
}
