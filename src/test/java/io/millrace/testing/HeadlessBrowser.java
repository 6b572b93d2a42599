package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Chromium without a window, for pages as people see them.
public final class HeadlessBrowser {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final List<String> OPTIONS = List.of(
            "--headless",
            "--no-sandbox", // root, and many a container, cannot have one
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run");

    private HeadlessBrowser() {}

    /// Skips the test where there is none, but not in CI.
    ///
    /// @param what is to be opened with it, for who misses it
    public static Path installed(String what) {
        return Machine.program(NAMES)
                .orElseThrow(() -> Machine.lacks(
                        "there is no " + String.join(", ", NAMES) + " on the PATH to open " + what + " with"));
    }

    /// How to start it.
    ///
    /// @param folder where the browser keeps all it writes
    /// @param more options, and what to open
    public static ProcessBuilder of(Path program, Path folder, List<String> more) {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(OPTIONS);
        command.add("--user-data-dir=" + folder.resolve("profile"));
        command.addAll(more);
        var builder = new ProcessBuilder(command);
        List.of("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
                .forEach(name -> builder.environment().put(name, folder.toString()));
        return builder;
    }

    /// The option to take the key of a server's certificate for one that is trusted, and no other.
    public static String trusting(PemFiles server) throws IOException, GeneralSecurityException {
        var key = server.certificate().getPublicKey().getEncoded();
        var hash = MessageDigest.getInstance("SHA-256").digest(key);
        return "--ignore-certificate-errors-spki-list=" + Base64.getEncoder().encodeToString(hash);
    }

    /// What a page has become when nothing moves in it any more. Parameters as above.
    public static String document(Path program, Duration patience, Path folder, List<String> more)
            throws IOException, InterruptedException {
        var document = folder.resolve("document.html");
        var log = folder.resolve("log");
        var options = new ArrayList<>(List.of("--virtual-time-budget=5000", "--dump-dom"));
        options.addAll(more);
        var process = of(program, folder, options)
                .redirectOutput(document.toFile())
                .redirectError(log.toFile())
                .start();
        try {
            if (!process.waitFor(patience)) {
                fail("the browser still ran after " + patience.toSeconds() + " s; its log: " + Files.readString(log));
            }
            if (process.exitValue() != 0) {
                fail("the browser ended with " + process.exitValue() + "; its log: " + Files.readString(log));
            }
            return Files.readString(document);
        } finally {
            end(process);
        }
    }

    /// With all that it has started.
    public static void end(Process browser) {
        var all = new ArrayList<>(browser.descendants().toList());
        all.add(browser.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }
}
