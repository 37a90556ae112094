package org.plimsoll.companion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleResult;

/** Results, as PROTOCOL.md lays them out. */
final class Results {
    private static final int MADE_HERE = -1;

    private static final VarHandle START = field("startTime", long.class);
    private static final VarHandle END = field("endTime", long.class);
    private static final VarHandle IDLE = field("idleTime", long.class);
    private static final VarHandle ELAPSED = field("elapsedTime", long.class);
    private static final VarHandle STAMP = field("timeStamp", long.class);
    private static final VarHandle PARTS = field("subResults", List.class);
    private static final VarHandle DATA_SENT = field("samplerData", String.class);
    private static final VarHandle ENCODING = field("dataEncoding", String.class);

    private Results() {}

    /** What JMeter sets only as it measures. */
    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(SampleResult.class, MethodHandles.lookup())
                    .findVarHandle(SampleResult.class, name, type);
        } catch (ReflectiveOperationException other) {
            throw new ExceptionInInitializerError(other);
        }
    }

    static SampleResult read(FrameReader from) {
        boolean http = from.flag();
        SampleResult result = http ? new HTTPSampleResult() : new SampleResult();
        result.setSuccessful(from.flag());
        if (from.flag()) {
            result.setIgnore();
        }
        result.setSampleLabel(from.text());
        result.setResponseCode(from.text());
        result.setResponseMessage(from.text());
        result.setThreadName(from.text());
        readNumbers(from, result);
        result.setDataType(switch (from.u8()) {
            case 1 -> SampleResult.TEXT;
            case 2 -> SampleResult.BINARY;
            default -> "";
        });
        result.setResponseData(from.bytes());
        ENCODING.set(result, from.maybeText());
        String url = from.maybeText();
        if (url != null) {
            try {
                result.setURL(new URL(url));
            } catch (MalformedURLException none) {
                // A result without an address, then.
            }
        }
        DATA_SENT.set(result, from.maybeText());
        readTexts(from, result);
        for (AssertionResult assertion : from.list(Results::readAssertion)) {
            result.addAssertionResult(assertion);
        }
        List<SampleResult> parts = from.list(Results::read);
        if (!parts.isEmpty()) {
            // addSubResult() would change the labels, times and sizes.
            PARTS.set(result, parts);
            parts.forEach(part -> part.setParent(result));
        }
        return result;
    }

    private static void readNumbers(FrameReader from, SampleResult result) {
        long start = from.u64();
        long end = from.u64();
        START.set(result, start);
        END.set(result, end);
        STAMP.set(result, result.isStampedAtStart() ? start : end);
        ELAPSED.set(result, from.u64());
        IDLE.set(result, from.u64());
        result.setLatency(from.u64());
        result.setConnectTime(from.u64());
        long received = from.u64();
        long headers = from.u64();
        long body = from.u64();
        result.setHeadersSize((int) headers);
        result.setBodySize(body);
        if (received != headers + body) {
            result.setBytes(received);
        }
        result.setSentBytes(from.u64());
        result.setGroupThreads(from.u32());
        result.setAllThreads(from.u32());
        result.setSampleCount(from.u32());
        from.u32(); // how many errors it stands for: JMeter's class counts them by its success
    }

    private static void readTexts(FrameReader from, SampleResult result) {
        result.setContentType(from.text());
        result.setRequestHeaders(from.text());
        result.setResponseHeaders(from.text());
        String method = from.text();
        String query = from.text();
        String cookies = from.text();
        String redirect = from.text();
        if (result instanceof HTTPSampleResult http) {
            http.setHTTPMethod(method);
            http.setQueryString(query);
            http.setCookies(cookies);
            http.setRedirectLocation(redirect.isEmpty() ? null : redirect);
        }
        result.setResultFileName(from.text());
    }

    private static AssertionResult readAssertion(FrameReader from) {
        AssertionResult assertion = new AssertionResult(from.text());
        assertion.setFailure(from.flag());
        assertion.setError(from.flag());
        assertion.setFailureMessage(from.maybeText());
        return assertion;
    }

    /** What the engine has of a result: to see whether it was changed, and to send changes only. */
    static final class Agreed {
        private final Map<SampleResult, Integer> numbers = new IdentityHashMap<>();
        private final List<byte[]> bodies = new ArrayList<>();
        private final byte[] written;

        /** The engine has this result as it is now. */
        Agreed(SampleResult result) {
            number(result);
            FrameWriter part = FrameWriter.part();
            write(part, result);
            written = part.written();
        }

        private void number(SampleResult result) {
            if (numbers.putIfAbsent(result, bodies.size()) == null) {
                bodies.add(result.getResponseData());
                for (SampleResult part : result.getSubResults()) {
                    number(part);
                }
            }
        }

        /** The result as it is now, in what differs from what the engine has; else null. */
        byte[] changes(SampleResult result) {
            FrameWriter part = FrameWriter.part();
            write(part, result);
            byte[] now = part.written();
            return Arrays.equals(now, written) ? null : now;
        }

        private void write(FrameWriter to, SampleResult result) {
            Integer number = numbers.get(result);
            boolean same = number != null && bodies.get(number) == result.getResponseData();
            Results.write(to, result, number == null ? MADE_HERE : number, same);
            SampleResult[] parts = result.getSubResults();
            to.u32(parts.length);
            for (SampleResult part : parts) {
                write(to, part);
            }
        }
    }

    /** Writes a result of which the engine knows nothing. */
    static void writeNew(FrameWriter to, SampleResult result) {
        write(to, result, MADE_HERE, false);
        SampleResult[] parts = result.getSubResults();
        to.u32(parts.length);
        for (SampleResult part : parts) {
            writeNew(to, part);
        }
    }

    private static void write(FrameWriter to, SampleResult result, int origin, boolean sameBody) {
        to.u32(origin);
        to.flag(result instanceof HTTPSampleResult);
        to.flag(result.isSuccessful());
        to.flag(result.isIgnore());
        to.text(result.getSampleLabel());
        to.text(result.getResponseCode());
        to.text(result.getResponseMessage());
        to.text(result.getThreadName());
        writeNumbers(to, result);
        to.u8(switch (String.valueOf(result.getDataType())) {
            case SampleResult.TEXT -> 1;
            case SampleResult.BINARY -> 2;
            default -> 0;
        });
        to.flag(sameBody);
        if (!sameBody) {
            byte[] body = result.getResponseData();
            to.bytes(body == null ? new byte[0] : body);
        }
        to.maybeText((String) ENCODING.get(result));
        URL url = result.getURL();
        to.maybeText(url == null ? null : url.toString());
        to.maybeText((String) DATA_SENT.get(result));
        writeTexts(to, result);
        AssertionResult[] assertions = result.getAssertionResults();
        to.u32(assertions.length);
        for (AssertionResult assertion : assertions) {
            to.text(assertion.getName());
            to.flag(assertion.isFailure());
            to.flag(assertion.isError());
            to.maybeText(assertion.getFailureMessage());
        }
    }

    private static void writeNumbers(FrameWriter to, SampleResult result) {
        to.u64(natural(result.getStartTime()));
        to.u64(natural(result.getEndTime()));
        to.u64(natural(result.getTime()));
        to.u64(natural(result.getIdleTime()));
        to.u64(natural(result.getLatency()));
        to.u64(natural(result.getConnectTime()));
        to.u64(natural(result.getBytesAsLong()));
        to.u64(natural(result.getHeadersSize()));
        to.u64(natural(result.getBodySizeAsLong()));
        to.u64(natural(result.getSentBytes()));
        to.u32(result.getGroupThreads());
        to.u32(result.getAllThreads());
        to.u32(result.getSampleCount());
        to.u32(result.getErrorCount());
    }

    private static long natural(long number) {
        return Math.max(0, number);
    }

    private static void writeTexts(FrameWriter to, SampleResult result) {
        to.text(result.getContentType());
        to.text(result.getRequestHeaders());
        to.text(result.getResponseHeaders());
        boolean isHttp = result instanceof HTTPSampleResult;
        HTTPSampleResult http = isHttp ? (HTTPSampleResult) result : null;
        to.text(isHttp ? http.getHTTPMethod() : "");
        to.text(isHttp ? http.getQueryString() : "");
        to.text(isHttp ? http.getCookies() : "");
        to.text(isHttp ? http.getRedirectLocation() : "");
        to.text(result.getResultFileName());
    }
}
