package io.plimsoll.lab;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Ids that cannot be guessed. */
final class Ids {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 16;

    private Ids() {}

    /** 128 random bits as 32 hexadecimal digits. */
    static String random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
