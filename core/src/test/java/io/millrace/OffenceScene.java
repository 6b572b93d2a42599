package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What offenders find: a slow server, a large file, names that nobody knows, a console that nobody reads, a database.
final class OffenceScene implements AutoCloseable {
    private static final int FILE_BYTES = 200 << 20;
    private static final int SMALL_FILE_BYTES = 40 << 20;

    /// More than a pipe and its reader take.
    private static final int LINE_CHARS = 100_000;

    private static final String UNKNOWN = ".slow.test";
    private static final AtomicLong NAMES = new AtomicLong();
    private static volatile @Nullable OffenceScene current;

    private final int mostMillis;
    private final EventLoops loops;
    private final EventLoops slowLoops;
    private final Server slow;
    private final Path folder;
    private final Path file;
    private final PrintStream err;
    private final ConsoleHandler console;
    private final Thread consoleReader;
    private final String query;
    private volatile boolean isOver;

    /// @param mostMillis what an offence may take, where one in practice would take longer
    /// @param loops      whose connections offenders use
    OffenceScene(int mostMillis, EventLoops loops) throws Exception {
        this.mostMillis = mostMillis;
        this.loops = loops;
        this.folder = Files.createTempDirectory("offences");
        this.file = writeFile();
        this.slowLoops = EventLoops.configure().threads(1).start();
        this.slow = Tcp.listen(local(slowLoops), conn -> in -> {
            in.skip(in.remaining());
            var _ = conn.loop()
                    .after(Duration.ofMillis(millis(300)), () -> conn.output().writeUtf8("x"));
        });
        SlowNames.areKnown();
        var pipe = folder.resolve("console");
        if (new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() != 0) throw new IOException("no mkfifo");
        this.consoleReader = Thread.ofPlatform().name("console").start(() -> readNowAndThen(pipe));
        this.err = new PrintStream(new FileOutputStream(pipe.toFile()), false, UTF_8);
        this.console = consoleOn(err);
        this.query = queryOf(millis(1000));
        current = this;
    }

    static OffenceScene current() {
        return requireNonNull(current);
    }

    int millis(int inPractice) {
        return isOver ? 0 : Math.min(inPractice, mostMillis);
    }

    /// From now on offences take no longer than they have to, so that those under way are over soon.
    void hurry() {
        isOver = true;
    }

    // A file.

    Path file() {
        return file;
    }

    private Path writeFile() throws IOException {
        var path = folder.resolve("file");
        var some = new byte[1 << 20];
        try (var out = Files.newOutputStream(path)) {
            for (int left = mostMillis < 100 ? SMALL_FILE_BYTES : FILE_BYTES; left > 0; left -= some.length)
                out.write(some);
        }
        return path;
    }

    // A server.

    /// The monitor that the caller may hold meanwhile is held over I/O.
    void askSlowServer() {
        try (var conn = Tcp.connect(Connect.to(slow.address()).loops(loops))) {
            conn.output().writeUtf8("?");
            while (conn.input().remaining() == 0) conn.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Names.

    String unknownName() {
        return "name-" + NAMES.incrementAndGet() + UNKNOWN;
    }

    /// Knows names that take long, and asks the JVM's own for others. It stands where a provider's would be
    /// (`java.net.spi.InetAddressResolverProvider`), which a module's tests cannot be, and stays there:
    /// compiled code keeps to the first one that it has seen.
    private record SlowNames(InetAddressResolver others) implements InetAddressResolver {
        static {
            try {
                // Which sees to it that there is one.
                InetAddress.getAllByName("localhost");
                var place = InetAddress.class.getDeclaredField("resolver");
                place.setAccessible(true);
                place.set(null, new SlowNames((InetAddressResolver) requireNonNull(place.get(null))));
            } catch (ReflectiveOperationException | UnknownHostException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }

        static void areKnown() {}

        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
            if (!host.endsWith(UNKNOWN)) return others.lookupByName(host, policy);
            Offence.sleepInNativeCode(current().millis(5000));
            return Stream.of(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}));
        }

        @Override
        public String lookupByAddress(byte[] address) throws UnknownHostException {
            return others.lookupByAddress(address);
        }
    }

    // A console.

    void log() {
        console.publish(new LogRecord(Level.INFO, "x".repeat(LINE_CHARS)));
    }

    private static ConsoleHandler consoleOn(PrintStream err) {
        var before = System.err;
        System.setErr(err);
        try {
            var handler = new ConsoleHandler();
            handler.setFormatter(new Formatter() {
                @Override
                public String format(LogRecord line) {
                    return line.getMessage() + '\n';
                }
            });
            return handler;
        } finally {
            System.setErr(before);
        }
    }

    private void readNowAndThen(Path pipe) {
        try (var lines = new BufferedReader(new InputStreamReader(new FileInputStream(pipe.toFile()), UTF_8))) {
            while (lines.read() >= 0) {
                Offence.sleepInNativeCode(millis(2000));
                lines.readLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // A database.

    String query() {
        return query;
    }

    private static String queryOf(int millis) throws SQLException {
        long rows = 10_000;
        try (var db = DriverManager.getConnection("jdbc:sqlite::memory:");
                var statement = db.createStatement()) {
            statement.executeQuery(counting(rows)).close();
            for (long tookNanos = 0; tookNanos < 10_000_000; ) {
                rows *= 2;
                long beganNanos = System.nanoTime();
                statement.executeQuery(counting(rows)).close();
                tookNanos = System.nanoTime() - beganNanos;
                if (tookNanos >= 10_000_000) return counting(rows * millis * 1_000_000L / tookNanos);
            }
        }
        throw new AssertionError();
    }

    private static String counting(long rows) {
        return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " + rows
                + ") SELECT count(*) FROM n";
    }

    @Override
    public void close() throws IOException {
        hurry();
        console.close();
        err.close();
        until(() -> !consoleReader.isAlive());
        slow.close();
        slowLoops.close();
        try (var paths = Files.walk(folder)) {
            for (var path : paths.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(path);
        }
    }
}
