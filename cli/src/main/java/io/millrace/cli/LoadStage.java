package io.millrace.cli;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A part of a load with a rate of its own: `RATE:SECONDS`.
record LoadStage(int perSecond, Duration time) {
    private static final int MOST_SECONDS = 1_000_000;

    static final class ToStage implements ITypeConverter<LoadStage> {
        @Override
        public LoadStage convert(String text) {
            int colon = text.indexOf(':');
            if (colon < 0) {
                throw new TypeConversionException("'" + text + "' is no stage: write RATE:SECONDS, as in 1000:30");
            }
            int perSecond = CountOption.parse(text.substring(0, colon), 1, LoadOptions.MOST_PER_SECOND);
            int seconds = CountOption.parse(text.substring(colon + 1), 1, MOST_SECONDS);
            return new LoadStage(perSecond, Duration.ofSeconds(seconds));
        }
    }
}
