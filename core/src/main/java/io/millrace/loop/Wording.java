package io.millrace.loop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Duration;
import java.util.regex.Pattern;

/// Values as messages show them, for people who do not know Java: `127.0.0.1:80` and not `/127.0.0.1:80`, `1 s` and
/// not `PT1S`, `there is no file a.yaml` and not `java.nio.file.NoSuchFileException: a.yaml`.
public final class Wording {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    /// The first zeros of an IPv6 address that two colons may replace (RFC 5952).
    private static final Pattern ZEROS = Pattern.compile("(?:^|:)0(?::0)+(?::|$)");

    private Wording() {}

    /// An address as files and commands take it: `127.0.0.1:80`, `[::1]:80`, `name:80`, `unix:/path`.
    public static String of(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) return "unix:" + address;
        var host = inet.getHostString();
        if (!inet.isUnresolved()) host = inet.getAddress().getHostAddress();
        if (host.indexOf(':') >= 0) host = "[" + ZEROS.matcher(host).replaceFirst("::") + "]";
        return host + ":" + inet.getPort();
    }

    /// A time, 0 or more: `250 ms`, `5 s`, `1 min 30 s`, `2 h`. Insignificant parts are left out.
    public static String of(Duration time) {
        if (time.compareTo(MINUTE) < 0) return brief(time);
        if (time.compareTo(HOUR) < 0) return pair(time.toMinutes(), "min", time.toSecondsPart(), "s");
        return pair(time.toHours(), "h", time.toMinutesPart(), "min");
    }

    private static String brief(Duration time) {
        if (time.toNanosPart() == 0 || time.compareTo(TEN_SECONDS) > 0) return time.toSeconds() + " s";
        return time.toMillis() == 0 ? time.toNanos() + " ns" : time.toMillis() + " ms";
    }

    private static String pair(long large, String unit, int small, String smaller) {
        return large + " " + unit + (small == 0 ? "" : " " + small + " " + smaller);
    }

    /// A number of things: `1 listener`, `3 listeners`.
    ///
    /// @param one the word for one of them, whose plural has an `s` more
    public static String count(long number, String one) {
        return number + " " + (number == 1 ? one : one + "s");
    }

    /// Why something could not be read or written; for a missing file, the JDK's message is only its name.
    public static String of(IOException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> "there is no file " + missing.getFile();
            case AccessDeniedException denied -> "this user may not use " + denied.getFile();
            case NotDirectoryException file -> file.getFile() + " is not a folder";
            case FileSystemException other when other.getReason() != null -> other.getFile() + ": " + other.getReason();
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }
}
