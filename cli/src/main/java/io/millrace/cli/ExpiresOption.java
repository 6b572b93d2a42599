package io.millrace.cli;

import io.millrace.http.filter.Expires;
import io.millrace.loop.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// For how long clients may use files of a media type: `TYPE=AGE`.
record ExpiresOption(String type, Duration age) {
    Expires addedTo(Expires expires) {
        return expires.type(type, age);
    }

    static final class ToExpires implements ITypeConverter<ExpiresOption> {
        @Override
        public ExpiresOption convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 0)
                throw new TypeConversionException("'" + text + "' has no time: write TYPE=AGE, as in text/css=1h");
            var age = text.substring(equals + 1);
            try {
                return new ExpiresOption(text.substring(0, equals), Durations.parse(age));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + age + "' is no duration: " + e.getMessage());
            }
        }
    }
}
