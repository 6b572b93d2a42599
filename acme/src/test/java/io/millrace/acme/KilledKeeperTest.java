package io.millrace.acme;

import static io.millrace.acme.Proving.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.Pebble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process that is killed in the middle of an order, and the one that comes after it.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class KilledKeeperTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.of(1);
    private int challengePort;
    private Pebble pebble;
    private Front front;
    private Path storage;
    private volatile @Nullable Process first;

    @BeforeEach
    void a_keeper_is_about_to_begin() throws IOException {
        challengePort = Machine.freePort();
        pebble = Pebble.start(folder, challengePort, Machine.freePort(), "");
        front = new Front(loops, pebble, folder);
        storage = folder.resolve("acme");
    }

    @AfterEach
    void all_end() {
        front.close();
        pebble.close();
        loops.close();
    }

    private Process start() throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var path = System.getProperty("jdk.module.path") + ":" + System.getProperty("java.class.path") + ":"
                + Path.of("target", "fast", "test-classes") + ":" + Path.of("target", "test-classes");
        var builder = new ProcessBuilder(java, "-cp", path, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.command()
                .addAll(List.of(
                        "--enable-native-access=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED"));
        builder.command().addAll(List.of(KeeperProcess.class.getName(), storage.toString()));
        builder.command()
                .addAll(List.of(
                        front.directory().toString(), front.authorities().toString()));
        builder.command().add(Integer.toString(challengePort));
        return builder.start();
    }

    private AcmeSettings settings() {
        return KeeperProcess.settings(storage, front.directory(), front.authorities());
    }

    /// Looks at what is there: what has its final name is whole, and nothing can be read by others.
    private void check() throws IOException {
        try (var all = Files.walk(storage)) {
            for (var one : all.toList()) {
                var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(one));
                assertEquals(Files.isDirectory(one) ? "rwx------" : "rw-------", mode, one.toString());
                if (one.toString().endsWith(".pem")) assertWhole(one);
            }
        }
        assertTrue(settings().identity().stream().allMatch(its -> its.chain().size() > 1));
    }

    private static void assertWhole(Path file) throws IOException {
        var text = Files.readString(file);
        assertTrue(text.contains("-----BEGIN") && text.endsWith("-----\n"), text);
    }

    /// Another process comes, and has the certificate in the end: a new one, or the one that the first wrote whole.
    private void succeed() throws Exception {
        var issued = settings().identity().isPresent() ? new CountDownLatch(0) : answered("/certZ/");
        try (var keeper = Acme.keeper(loops.next());
                var _ = listen(keeper)) {
            keeper.keep(List.of(settings()));
            issued.await();
            until(() -> settings().identity().isPresent());
        }
        check();
        assertEquals(List.of(), endingWith(".new"));
    }

    /// The kernel may hold the port for a moment after the process's end.
    private Server listen(CertificateKeeper keeper) {
        var here = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), challengePort));
        while (true) {
            try {
                return Http.listen(here.loops(loops), keeper.challenges().around(_ -> Response.status(404)));
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof BindException)) throw e;
                Thread.onSpinWait();
            }
        }
    }

    /// Open until the authority has answered a request.
    private CountDownLatch answered(String path) {
        var latch = new CountDownLatch(1);
        front.afterwards(request -> {
            if (request.path().startsWith(path)) latch.countDown();
        });
        return latch;
    }

    private List<Path> endingWith(String end) {
        if (!Files.exists(storage)) return List.of();
        try (Stream<Path> all = Files.list(storage)) {
            return all.filter(one -> one.toString().endsWith(end)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The order is made, a challenge is answered, the certificate is issued.
    @ParameterizedTest
    @ValueSource(strings = {"/order-plz", "/chalZ/", "/certZ/"})
    void the_next_one_begins_anew(String path) throws Exception {
        front.afterwards(request -> {
            if (request.path().startsWith(path)) kill(first);
        });
        var killed = start();
        first = killed;
        assertEquals(128 + 9, killed.onExit().join().exitValue());
        assertTrue(settings().identity().isEmpty(), "it came too late");
        check();
        var accounts = endingWith(".pem").stream().map(KilledKeeperTest::text).toList();
        assertEquals(1, accounts.size());
        succeed();
        assertTrue(endingWith(".pem").stream().map(KilledKeeperTest::text).anyMatch(accounts.getFirst()::equals));
        assertEquals(
                1,
                pebble.said()
                        .lines()
                        .filter(line -> line.contains("accounts in memory"))
                        .count());
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void kill(@Nullable Process one) {
        assertNotNull(one, "nothing runs yet");
        one.destroyForcibly();
        one.onExit().join();
    }

    @Test
    void it_may_be_killed_while_it_writes_the_accounts_key() throws Exception {
        first = start();
        killedWhen(() -> !endingWith(".new").isEmpty() || !endingWith(".pem").isEmpty());
    }

    @Test
    void it_may_be_killed_while_it_writes_the_certificate() throws Exception {
        var issued = answered("/certZ/");
        first = start();
        issued.await();
        killedWhen(() -> !endingWith("www.example.test.pem.new").isEmpty()
                || !endingWith("www.example.test.pem").isEmpty());
    }

    private void killedWhen(BooleanSupplier isTime) throws Exception {
        until(isTime);
        kill(first);
        check();
        succeed();
    }
}
