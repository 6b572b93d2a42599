package io.millrace.os;

import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// Errors in the place of the kernel's answers, for tests: a call that is chosen is not made, and fails. A JVM
/// without `-Dmillrace.os.faults=true` has none of this; `-Dmillrace.os.faults=425:1` lets every call of the number
/// 425 (io_uring_setup) fail with errno 1.
public final class Faults {
    private static final String SETTING = System.getProperty("millrace.os.faults", "");

    static final boolean ARE_ON = !SETTING.isEmpty();

    /// Added to an operation of io_uring, so that it has a number among those of the system calls.
    public static final int RING = 1000;

    /// From the number of a call to the errno it fails with, or 0. Any thread.
    private static volatile @Nullable IntUnaryOperator plan = fixed(SETTING);

    private Faults() {}

    private static @Nullable IntUnaryOperator fixed(String setting) {
        int colon = setting.indexOf(':');
        if (colon < 0) return null;
        int number = Integer.parseInt(setting.substring(0, colon));
        int errno = Integer.parseInt(setting.substring(colon + 1));
        return called -> called == number ? errno : 0;
    }

    /// Which calls fail from now on; null for none.
    public static void plan(@Nullable IntUnaryOperator calls) {
        if (!ARE_ON) throw new IllegalStateException("start the JVM with -Dmillrace.os.faults=true");
        plan = calls;
    }

    /// The errno with which a call has to fail, or 0.
    static int errnoOf(int number) {
        var calls = plan;
        return calls == null ? 0 : calls.applyAsInt(number);
    }
}
