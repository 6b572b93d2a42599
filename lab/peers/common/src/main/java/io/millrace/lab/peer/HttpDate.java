package io.millrace.lab.peer;

import static java.time.ZoneOffset.UTC;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// The value of a `Date` field, made once a second: for frameworks that leave it to the application.
///
/// @param <T> the form in which the framework takes it
public final class HttpDate<T> {
    /// RFC 9110, section 5.6.7. The formatter that the JDK has writes the first nine days of a month with one digit.
    private static final DateTimeFormatter IMF_FIXDATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private final Function<String, T> form;
    private volatile T now;

    /// Starts a thread that keeps it up to date for as long as the process lives.
    public HttpDate(Function<String, T> form) {
        this.form = form;
        this.now = make();
        Thread.ofPlatform().daemon().name("date").start(this::keep);
    }

    public T now() {
        return now;
    }

    private void keep() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                now = make();
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private T make() {
        return form.apply(IMF_FIXDATE.format(ZonedDateTime.now(UTC)));
    }
}
