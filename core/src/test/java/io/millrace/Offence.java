package io.millrace;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.net.InetAddress;
import java.nio.file.Files;
import java.sql.DriverManager;
import java.sql.SQLException;

/// What code that knows nothing of event loops does to the thread that runs it.
@SuppressWarnings("ImmutableEnumChecker") // deeds have no state
enum Offence {
    COMPUTES(scene -> spin(scene.millis(600))),
    READS_A_FILE(scene -> {
        try (var in = Files.newInputStream(scene.file())) {
            in.transferTo(OutputStream.nullOutputStream());
        }
    }),
    /// As the C library does it, in native code; the JDK's own locks of look-ups are around it.
    RESOLVES_A_NAME(scene -> {
        var _ = InetAddress.getAllByName(scene.unknownName());
    }),
    SLEEPS_IN_NATIVE_CODE(scene -> sleepInNativeCode(scene.millis(1000))),
    /// Which keeps no thread: whoever waits leaves it.
    WAITS_FOR_A_MONITOR(scene -> {
        synchronized (scene) {
            scene.askSlowServer();
        }
    }),
    LOGS_TO_A_STUCK_CONSOLE(OffenceScene::log),
    READS_IN_A_STATIC_INITIALISER(_ -> initialise()),
    QUERIES_A_DATABASE(scene -> {
        try (var db = DriverManager.getConnection("jdbc:sqlite::memory:");
                var statement = db.createStatement();
                var rows = statement.executeQuery(scene.query())) {
            if (!rows.next()) throw new IOException("no row");
        } catch (SQLException e) {
            throw new IOException(e);
        }
    });

    @SuppressWarnings("restricted")
    private static final MethodHandle USLEEP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("usleep"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private final Deed deed;

    Offence(Deed deed) {
        this.deed = deed;
    }

    @FunctionalInterface
    private interface Deed {
        void on(OffenceScene scene) throws IOException;
    }

    void commit(OffenceScene scene) throws IOException {
        deed.on(scene);
    }

    /// Whether it keeps the thread that runs it, so that it may never do that on a loop.
    boolean keepsItsThread() {
        return this != WAITS_FOR_A_MONITOR;
    }

    static void spin(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() - end < 0) Thread.onSpinWait();
    }

    static void sleepInNativeCode(int millis) {
        try {
            var _ = (int) USLEEP.invokeExact(millis * 1000);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// A class whose initialiser waits for a connection; each time another one, made of its bytes.
    @SuppressWarnings("UnusedNestedClass")
    private static final class Slow {
        static {
            OffenceScene.current().askSlowServer();
        }

        private Slow() {}
    }

    private static void initialise() throws IOException {
        try (var in = Offence.class.getResourceAsStream("Offence$Slow.class")) {
            if (in == null) throw new IOException("no class file");
            MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
