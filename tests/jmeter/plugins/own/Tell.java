package own;

import java.io.FileWriter;
import java.io.IOException;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;

/** Writes a line for each sample. */
public class Tell extends AbstractTestElement implements SampleListener {
    @Override
    public void sampleOccurred(SampleEvent event) {
        SampleResult result = event.getResult();
        try (FileWriter file = new FileWriter(getPropertyAsString("Tell.file"), true)) {
            file.write(result.getSampleLabel() + " " + result.isSuccessful() + " " + event.getThreadGroup() + "\n");
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public void sampleStarted(SampleEvent event) { }

    @Override
    public void sampleStopped(SampleEvent event) { }
}
