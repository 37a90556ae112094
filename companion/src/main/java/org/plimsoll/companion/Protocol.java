package org.plimsoll.companion;

/** The numbers of PROTOCOL.md. */
final class Protocol {
    static final int VERSION = 2;

    // From the engine.
    static final int SETUP = 1;
    static final int PROPERTIES = 2;
    static final int BEGIN = 3;
    static final int CALL = 4;
    static final int USER_ENDS = 5;
    static final int END = 6;

    // To the engine.
    static final int HELLO = 1;
    static final int READY = 2;
    static final int REPLY = 3;
    static final int PROPERTIES_CHANGED = 4;
    static final int NOT_READY = 5;

    // Work.
    static final int FUNCTION = 1;
    static final int PRE = 2;
    static final int TIMER = 3;
    static final int SAMPLE = 4;
    static final int POST = 5;
    static final int ASSERTION = 6;
    static final int LISTENER = 7;
    static final int PASS = 8;

    // Outcomes.
    static final int TEXT = 1;
    static final int DONE = 2;
    static final int DELAY = 3;
    static final int NO_RESULT = 4;
    static final int RESULT = 5;
    static final int FAILED = 6;

    private Protocol() {}
}
