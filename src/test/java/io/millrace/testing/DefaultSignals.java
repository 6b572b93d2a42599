package io.millrace.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

/// For children that SIGHUP or SIGINT is to end. Tests that were started in the background or under `nohup` ignore
/// these, every child inherits that, and a JVM that has inherited it never hears them.
public final class DefaultSignals {
    private static final List<String> RESET = List.of("env", "--default-signal=HUP,INT,QUIT");
    private static final List<String> PREFIX = hasEnv() ? RESET : List.of();

    private DefaultSignals() {}

    /// The command that runs this one, in the same process, with these signals as they are by default. Without GNU's
    /// `env` it is the same command, and tests have to be started in the foreground.
    public static List<String> in(List<String> command) {
        return Stream.concat(PREFIX.stream(), command.stream()).toList();
    }

    private static boolean hasEnv() {
        try {
            var words = Stream.concat(RESET.stream(), Stream.of("true")).toList();
            return new ProcessBuilder(words).start().waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
