package io.millrace.lab.report;

import io.millrace.testing.HeadlessBrowser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A headless Chromium, started once for each page. All that the page could ask the network for goes through a
/// [FetchCounter], also what it asks of this machine. What the browser wants for itself, such as updates of its parts
/// and whether somebody is signed in, it is told to ask of a host that it cannot find.
record Browser(Path program, Duration patience) {
    private static final String NOWHERE = "https://browser.invalid";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// What a page became in the end.
    ///
    /// @param requests what the proxy was asked for
    record Visit(String document, List<String> requests) {}

    static Browser installed() {
        return new Browser(HeadlessBrowser.installed("the report"), PATIENCE);
    }

    /// @param folder where the browser keeps all it writes
    Visit open(Path page, Path folder) throws IOException, InterruptedException {
        try (var proxy = new FetchCounter()) {
            var document = HeadlessBrowser.document(program, patience, folder, options(page, proxy));
            return new Visit(document, proxy.end());
        }
    }

    private static List<String> options(Path page, FetchCounter proxy) {
        return List.of(
                "--disable-breakpad",
                "--disable-client-side-phishing-detection",
                "--disable-default-apps",
                "--disable-domain-reliability",
                "--disable-extensions",
                "--disable-features=NetworkTimeServiceQuerying",
                "--disable-sync",
                "--metrics-recording-only",
                "--no-default-browser-check",
                "--no-pings",
                "--component-updater=url-source=" + NOWHERE,
                "--gaia-url=" + NOWHERE,
                "--google-url=" + NOWHERE,
                "--host-resolver-rules=MAP browser.invalid ~NOTFOUND",
                "--proxy-server=" + proxy.url(),
                "--proxy-bypass-list=<-loopback>;browser.invalid",
                "--window-size=1200,900",
                page.toUri().toString());
    }
}
