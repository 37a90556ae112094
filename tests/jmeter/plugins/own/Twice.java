package own;

import java.util.Collection;
import java.util.List;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.AbstractFunction;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;

/** {@code __twice(text)}. */
public class Twice extends AbstractFunction {
    private CompoundVariable text;

    @Override
    public String execute(SampleResult previous, Sampler sampler) {
        return text.execute() + text.execute();
    }

    @Override
    public void setParameters(Collection<CompoundVariable> all) {
        text = all.iterator().next();
    }

    @Override
    public String getReferenceKey() {
        return "__twice";
    }

    @Override
    public List<String> getArgumentDesc() {
        return List.of("text");
    }
}
