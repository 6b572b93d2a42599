package io.millrace.cli;

import io.millrace.cli.DayConnection.Answer;
import io.millrace.testing.DefaultSignals;
import io.millrace.testing.Machine;
import io.millrace.testing.NoticeListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// `millrace proxy` under a service manager, in a mount namespace with a small disk, and with a clock that can be set.
///
/// ```
///   this ──► manager, which holds the sockets ──► proxy ── SIGUSR2 ──► proxy …
///     ▲                                             │
///     └──────────── notices, log lines ─────────────┘
/// ```
final class DayService implements AutoCloseable {
    private static final List<String> CHILD_TOOLS = List.of("unshare", "python3");
    private static final String DISK_BYTES = "16m";
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);
    private static final long LOOK_NANOS = 50_000_000;
    private static final Duration HEARING = Duration.ofSeconds(1);

    private final long beginNanos = System.nanoTime();
    private final Path folder;
    private final Process manager;
    private final int admin;
    private final Thread ear;
    private volatile boolean isOver;

    /// Of all processes of the service.
    final DayLog log = new DayLog();

    /// What the manager said.
    final DayLog managed = new DayLog();

    /// Notices to the manager, each as a map prints.
    final DayLog notices = new DayLog();

    private volatile long pid;

    /// @param folder for all files; the disk is mounted in its subfolder `disk`
    /// @param ports of the sockets of the manager
    /// @param admin the port of the admin page
    DayService(Path folder, List<Integer> ports, int admin) throws IOException, InterruptedException {
        this.folder = folder;
        this.admin = admin;
        Files.createDirectory(folder.resolve("disk"));
        var notify = folder.resolve("notify");
        ear = Thread.ofPlatform().daemon().start(() -> hear(notify));
        notices.await(0, "bound"::equals, "the socket of the manager");
        setClock("+0");
        manager = start(notify, ports);
        read(manager.inputReader(StandardCharsets.UTF_8), managed);
        read(manager.errorReader(StandardCharsets.UTF_8), log);
    }

    /// Skips the test where what it needs is missing.
    static void check() throws IOException, InterruptedException {
        for (var tool : CHILD_TOOLS)
            if (Machine.program(List.of(tool)).isEmpty()) throw Machine.lacks("there is no " + tool + " on the PATH");
        if (new ProcessBuilder("unshare", "-m", "true").start().waitFor() != 0)
            throw Machine.lacks("no mount namespace of its own without root: unshare -m fails");
        var _ = clockLibrary();
    }

    private static Path clockLibrary() throws IOException {
        try (var folders = Files.list(Path.of("/usr/lib"))) {
            return Stream.concat(Stream.of(Path.of("/usr/lib")), folders)
                    .map(lib -> lib.resolve("faketime").resolve("libfaketime.so.1"))
                    .filter(Files::isReadable)
                    .findFirst()
                    .orElseThrow(() -> Machine.lacks("there is no libfaketime: install faketime"));
        }
    }

    private Process start(Path notify, List<Integer> ports) throws IOException {
        var mount = "mount -t tmpfs -o size=" + DISK_BYTES + ",mode=700 disk \"$1\" && shift && exec \"$@\"";
        var script = Objects.requireNonNull(DayService.class.getResource("/day/manager.py"), "manager.py")
                .getPath();
        var command = new ArrayList<>(List.of(
                "unshare", "-m", "sh", "-c", mount, "sh", folder.resolve("disk").toString()));
        // The manager, too: what its processes share of the clock ends with the one that had it first.
        command.addAll(List.of("env", "LD_PRELOAD=" + clockLibrary(), "python3", script));
        command.add(String.join(",", ports.stream().map(Object::toString).toList()));
        command.addAll(DefaultSignals.in(proxy()));
        var builder = new ProcessBuilder(command);
        var environment = builder.environment();
        environment.remove("MILLRACE_LAUNCHER");
        environment.put("NOTIFY_SOCKET", notify.toString());
        // As the launcher does: SIGUSR2 is not the JVM's.
        environment.put("_JAVA_SR_SIGNUM", "60");
        environment.put("MALLOC_ARENA_MAX", "2");
        environment.put("FAKETIME_TIMESTAMP_FILE", clock().toString());
        environment.put("FAKETIME_CACHE_DURATION", "1");
        environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        // The JVM's waits are by the monotonic clock, which the library would take for the other one.
        environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        // Files keep their times.
        environment.put("NO_FAKE_STAT", "1");
        return builder.start();
    }

    private List<String> proxy() {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                DayService.class.desiredAssertionStatus() ? "-ea" : "-da",
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-XX:TieredStopAtLevel=1",
                "-Xms16m",
                "-Xmx96m",
                "-XX:MaxDirectMemorySize=64m",
                "-p",
                Objects.requireNonNull(System.getProperty("jdk.module.path"))));
        command.addAll(Program.FLAGS);
        command.addAll(List.of("-m", "io.millrace.cli/io.millrace.cli.Main", "proxy", "--config", file().toString()));
        return command;
    }

    private static void read(BufferedReader from, DayLog to) {
        Thread.ofPlatform().daemon().start(() -> to.readAll(from));
    }

    private void hear(Path notify) {
        try (var listener = new NoticeListener(notify.toString(), HEARING)) {
            notices.add("bound");
            while (!isOver) {
                try {
                    var notice = listener.next();
                    if (notice.containsKey("MAINPID")) pid = Long.parseLong(notice.get("MAINPID"));
                    notices.add(notice.toString());
                } catch (IOException _) {
                    // None came, for a while.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path file() {
        return folder.resolve("proxy.yaml");
    }

    /// Writes the configuration, as a whole.
    void configure(String text) throws IOException {
        replace(file(), text);
    }

    private Path clock() {
        return folder.resolve("clock");
    }

    /// Sets the clock of the service, and of nobody else, this far from the true time.
    void setClock(String difference) throws IOException {
        replace(clock(), difference + "\n");
    }

    private static void replace(Path file, String text) throws IOException {
        var next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /// A file on the disk, which only the manager and its processes have mounted.
    Path onDisk(String name) {
        return Path.of(
                "/proc/" + manager.pid() + "/root" + folder.resolve("disk").resolve(name));
    }

    long pid() {
        return pid;
    }

    /// Starts it, and waits until it serves.
    void begin() throws IOException, InterruptedException {
        int said = managed.count();
        int noticed = notices.count();
        manager.outputWriter().write("start\n");
        manager.outputWriter().flush();
        pid = Long.parseLong(managed.await(said, line -> line.startsWith("started "), "a process")
                .split(" ", -1)[1]);
        notices.await(noticed, line -> line.contains("READY=1"), "the notice that it serves");
    }

    /// Stops it, and waits for its end.
    void end() throws IOException, InterruptedException {
        int said = managed.count();
        signal("TERM");
        var ended = managed.await(said, line -> line.startsWith("ended " + pid + " "), "the end of " + pid);
        if (!ended.endsWith(" 0")) throw new AssertionError(ended);
    }

    /// Waits until a process that was replaced has ended.
    void awaitEnd(long before) throws InterruptedException {
        var ended = managed.await(0, line -> line.startsWith("ended " + before + " "), "the end of " + before);
        if (!ended.endsWith(" 0")) throw new AssertionError(ended);
    }

    void signal(String name) throws IOException, InterruptedException {
        signal(name, pid);
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor();
        if (code != 0) throw new AssertionError("there is no process " + pid + " for SIG" + name);
    }

    Answer ask(int port, String path) throws IOException {
        try (var connection = DayConnection.open(port, null)) {
            return connection.ask("GET", path, new byte[0]);
        }
    }

    /// Waits until the metrics of the process that serves have this line.
    void awaitMetric(String line) throws InterruptedException {
        await(() -> metrics().contains("\n" + line + "\n"), line);
    }

    private String metrics() throws IOException {
        return new String(askAdmin("/metrics").body(), StandardCharsets.UTF_8);
    }

    private Answer askAdmin(String path) throws IOException {
        try (var connection = DayConnection.open(admin, null)) {
            return connection.ask("GET", path, "localhost", new byte[0]);
        }
    }

    /// Something that is looked at again and again.
    interface Condition {
        boolean holds() throws IOException;
    }

    static void await(Condition condition, String what) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!isTrue(condition)) {
            if (System.nanoTime() > end) throw new AssertionError("does not become true: " + what);
            if (Thread.interrupted()) throw new InterruptedException(what);
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean isTrue(Condition condition) {
        try {
            return condition.holds();
        } catch (IOException _) {
            return false;
        }
    }

    /// Resident memory of a process, 0 if it has ended.
    static long residentKibibytes(long pid) {
        try (var lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        isOver = true;
        manager.outputWriter().close();
        manager.onExit().join();
        join(ear);
        var reports = Files.createDirectories(Path.of("target", "day"));
        log.save(reports.resolve("log"), beginNanos);
        notices.save(reports.resolve("notices"), beginNanos);
        managed.save(reports.resolve("managed"), beginNanos);
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
