package io.millrace.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The processes of the backends. One thread.
final class DayBackends implements AutoCloseable {
    private final List<Integer> ports;
    private final List<Process> processes = new ArrayList<>();
    private final List<Long> failedNanos = new ArrayList<>();

    DayBackends(List<Integer> ports) throws IOException {
        this.ports = ports;
        for (int port : ports) {
            processes.add(start(port));
            failedNanos.add(0L);
        }
    }

    private static Process start(int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx48m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dsun.net.httpserver.nodelay=true",
                        "-cp",
                        classes().toString(),
                        DayBackend.class.getName(),
                        "" + port)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Path classes() {
        var file = "/" + DayBackend.class.getName().replace('.', '/') + ".class";
        var found = Path.of(URI.create(
                Objects.requireNonNull(DayBackend.class.getResource(file), file).toString()));
        return found.resolve("../".repeat(file.split("/", -1).length - 1)).normalize();
    }

    String address(int which) {
        return "127.0.0.1:" + ports.get(which);
    }

    void fail(int which, String signal) throws IOException, InterruptedException {
        failedNanos.set(which, System.nanoTime());
        var process = processes.get(which);
        DayService.signal(signal, process.pid());
        if (!signal.equals("STOP")) process.waitFor();
    }

    /// Starts it again, or lets it go on.
    ///
    /// @return when it failed
    long bringBack(int which) throws IOException, InterruptedException {
        if (processes.get(which).isAlive())
            DayService.signal("CONT", processes.get(which).pid());
        else processes.set(which, start(ports.get(which)));
        return failedNanos.get(which);
    }

    @Override
    public void close() {
        for (var process : processes) process.destroyForcibly();
        for (var process : processes) process.onExit().join();
    }
}
