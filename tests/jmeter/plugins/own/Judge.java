package own;

import org.apache.jmeter.assertions.Assertion;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;

/** Fails what does not hold a word. */
public class Judge extends AbstractTestElement implements Assertion {
    @Override
    public AssertionResult getResult(SampleResult response) {
        AssertionResult result = new AssertionResult(getName());
        String word = getPropertyAsString("Judge.word");
        if (!response.getResponseDataAsString().contains(word)) {
            result.setFailure(true);
            result.setFailureMessage("no " + word);
        }
        return result;
    }
}
