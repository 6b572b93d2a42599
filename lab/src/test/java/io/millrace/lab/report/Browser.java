package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.fail;

import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A headless Chromium, started once for each page. All that the page could ask the network for goes through a
/// [FetchCounter], also what it asks of this machine. What the browser wants for itself, such as updates of its parts
/// and whether somebody is signed in, it is told to ask of a host that it cannot find.
record Browser(Path program, Duration patience) {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String NOWHERE = "https://browser.invalid";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// What a page became in the end.
    ///
    /// @param requests what the proxy was asked for
    record Visit(String document, List<String> requests) {}

    /// Skips the test where there is none, but not in CI.
    static Browser installed() {
        return Machine.program(NAMES)
                .map(program -> new Browser(program, PATIENCE))
                .orElseThrow(() -> Machine.lacks(
                        "there is no " + String.join(", ", NAMES) + " on the PATH to open the report with"));
    }

    /// @param folder where the browser keeps all it writes
    Visit open(Path page, Path folder) throws IOException, InterruptedException {
        Path document = folder.resolve("document.html");
        Path log = folder.resolve("log");
        try (var proxy = new FetchCounter()) {
            var builder = new ProcessBuilder(command(page, folder, proxy))
                    .redirectOutput(document.toFile())
                    .redirectError(log.toFile());
            List.of("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
                    .forEach(name -> builder.environment().put(name, folder.toString()));
            run(builder, log);
            return new Visit(Files.readString(document), proxy.end());
        }
    }

    private List<String> command(Path page, Path folder, FetchCounter proxy) {
        return List.of(
                program.toString(),
                "--headless",
                "--no-sandbox", // root, and many a container, cannot have one
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-breakpad",
                "--disable-client-side-phishing-detection",
                "--disable-component-update",
                "--disable-default-apps",
                "--disable-domain-reliability",
                "--disable-extensions",
                "--disable-features=NetworkTimeServiceQuerying",
                "--disable-sync",
                "--metrics-recording-only",
                "--no-default-browser-check",
                "--no-first-run",
                "--no-pings",
                "--component-updater=url-source=" + NOWHERE,
                "--gaia-url=" + NOWHERE,
                "--google-url=" + NOWHERE,
                "--host-resolver-rules=MAP browser.invalid ~NOTFOUND",
                "--proxy-server=" + proxy.url(),
                "--proxy-bypass-list=<-loopback>;browser.invalid",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1200,900",
                "--virtual-time-budget=5000",
                "--dump-dom",
                page.toUri().toString());
    }

    private void run(ProcessBuilder builder, Path log) throws IOException, InterruptedException {
        var process = builder.start();
        try {
            if (!process.waitFor(patience)) {
                fail("the browser still ran after " + patience.toSeconds() + " s; its log: " + Files.readString(log));
            }
            if (process.exitValue() != 0) {
                fail("the browser ended with " + process.exitValue() + "; its log: " + Files.readString(log));
            }
        } finally {
            kill(process);
        }
    }

    private static void kill(Process process) {
        var all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }
}
