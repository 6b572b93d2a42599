package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.DefaultSignals;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The command `millrace` in a process of its own, as a user starts it. It never outlives the test that opened
/// it.
final class Program implements AutoCloseable {
    static final String LISTENING = "listening on ";
    private static final long PATIENCE_SECONDS = 60;
    static final List<String> FLAGS =
            List.of("--enable-native-access=io.millrace.core", "--add-opens", "java.base/java.lang=io.millrace.core");

    private final Process process;
    private final BufferedReader out;
    private final CompletableFuture<String> err;

    private Program(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.err = CompletableFuture.supplyAsync(
                () -> readAll(process.getErrorStream()),
                task -> Thread.ofVirtual().start(task));
    }

    static Program start(String... arguments) throws IOException {
        return start(FLAGS, arguments);
    }

    /// @param flags of the JVM, instead of those that the launcher gives it
    static Program start(List<String> flags, String... arguments) throws IOException {
        return new Program(new ProcessBuilder(DefaultSignals.in(command(flags, arguments))).start());
    }

    /// @param before the words of a command that becomes the program
    static Program start(List<String> before, Map<String, String> environment, String... arguments) throws IOException {
        var command = new ArrayList<>(before);
        command.addAll(command(FLAGS, arguments));
        var builder = new ProcessBuilder(DefaultSignals.in(command));
        builder.environment().remove("MILLRACE_LAUNCHER");
        builder.environment().putAll(environment);
        return new Program(builder.start());
    }

    private static List<String> command(List<String> flags, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                Program.class.desiredAssertionStatus() ? "-ea" : "-da",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m"));
        command.addAll(List.of("-p", modulePath()));
        command.addAll(flags);
        command.addAll(List.of("-m", "io.millrace.cli/io.millrace.cli.Main"));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String modulePath() {
        var path = System.getProperty("jdk.module.path");
        assertTrue(path != null && path.contains(File.separator), "the tests run on the module path");
        return path;
    }

    /// Waits for the next line on standard output.
    String line() throws IOException {
        var line = out.readLine();
        assertTrue(line != null, () -> "ended with " + process.onExit().join().exitValue() + ": " + err.join());
        return line;
    }

    /// Waits until it serves.
    ///
    /// @return the address it says that it listens on
    String listening() throws IOException {
        var line = line();
        assertTrue(line.startsWith(LISTENING), line);
        return line.substring(LISTENING.length());
    }

    /// Waits until it serves, then connects to it.
    Socket connect() throws IOException {
        var address = listening();
        return new Socket(InetAddress.getLoopbackAddress(), port(address));
    }

    static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /// SIGTERM; `Process` itself would close our ends of its streams, too.
    void terminate() {
        process.toHandle().destroy();
    }

    long pid() {
        return process.pid();
    }

    /// What is left on standard output, until its end.
    List<String> rest() {
        return out.lines().toList();
    }

    /// Waits for the end.
    int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it does not end");
        return process.exitValue();
    }

    /// Everything on standard error, until its end.
    String err() {
        return err.join();
    }

    /// The same without what is at INFO: nothing but what somebody has to look at. That a loop stalls while it loads
    /// its
    /// classes on a busy machine is none of that.
    List<String> troubles() {
        return err().lines()
                .filter(line -> !line.matches("\\S+Z INFO .*|\\S+Z WARNING .* guard turn\\.stall acted .*"))
                .toList();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    private static String readAll(InputStream from) {
        try {
            return new String(from.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
