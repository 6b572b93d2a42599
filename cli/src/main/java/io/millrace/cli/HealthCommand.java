package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `millrace health`: a probe for containers, which have no other client.
@Command(
        name = "health",
        description = "Ask a server once: end with 0 if it answers with a status from 200 to 399, and with 1 if not.")
final class HealthCommand extends Subcommand {
    private static final int FIRST_ERROR = 400;

    @Parameters(paramLabel = "URL", description = "What to ask for: http://HOST[:PORT][/PATH], or with https.")
    @SuppressWarnings("NullAway.Init")
    private String url;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = CountOption.OfSeconds.class,
            description = "How long to wait for the answer (default: ${DEFAULT-VALUE}).")
    private int seconds = 3;

    @Override
    public Integer call() throws IOException {
        var patience = Duration.ofSeconds(seconds);
        try (var loops = EventLoops.of(1);
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(loops)
                        .connectTimeout(patience)
                        .timeout(patience))) {
            int status = client.send(Request.get(url)).status();
            if (status < FIRST_ERROR) return 0;
            err().println(url + " answers with status " + status);
            return 1;
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }
}
