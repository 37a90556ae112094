package org.plimsoll.companion;

import java.util.Set;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContext.TestLogicalAction;

/** A change of flow that a script asked for; the numbers are PROTOCOL.md's. */
enum Action {
    CONTINUE_LOOP(1),
    BREAK_LOOP(2),
    NEXT_ITERATION(3),
    STOP_USER(4),
    STOP_RUN(5),
    STOP_RUN_NOW(6);

    final int number;

    Action(int number) {
        this.number = number;
    }

    /** What JMeter's own word for it means; {@code null} when it means to go on. */
    static Action of(TestLogicalAction asked) {
        return switch (asked) {
            case START_NEXT_ITERATION_OF_CURRENT_LOOP -> CONTINUE_LOOP;
            case BREAK_CURRENT_LOOP -> BREAK_LOOP;
            case START_NEXT_ITERATION_OF_THREAD -> NEXT_ITERATION;
            default -> null;
        };
    }

    /** Adds what a result asks for. */
    static void addAskedBy(SampleResult result, Set<Action> to) {
        if (result == null) {
            return;
        }
        Action asked = of(result.getTestLogicalAction());
        if (asked != null) {
            to.add(asked);
        }
        if (result.isStopThread()) {
            to.add(STOP_USER);
        }
        if (result.isStopTest()) {
            to.add(STOP_RUN);
        }
        if (result.isStopTestNow()) {
            to.add(STOP_RUN_NOW);
        }
    }
}
