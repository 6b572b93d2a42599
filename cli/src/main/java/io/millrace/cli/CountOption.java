package io.millrace.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Options that are counts: a number, from 1 up by default.
class CountOption implements ITypeConverter<Integer> {
    private final int min;
    private final int max;

    CountOption(int min, int max) {
        this.min = min;
        this.max = max;
    }

    @Override
    public Integer convert(String text) {
        return parse(text, min, max);
    }

    static int parse(String text, int min, int max) {
        try {
            int count = Integer.parseInt(text);
            if (count >= min && count <= max) return count;
        } catch (NumberFormatException _) {
            // Handled like a number out of range.
        }
        throw new TypeConversionException("'" + text + "' is not a number from " + min + " to " + max);
    }

    /// Threads: a thousand are more than any machine can use.
    static final class OfThreads extends CountOption {
        OfThreads() {
            super(1, 1024);
        }
    }

    static final class OfSeconds extends CountOption {
        OfSeconds() {
            super(1, 1_000_000);
        }
    }

    static final class OfConnections extends CountOption {
        OfConnections() {
            super(1, 100_000);
        }
    }
}
