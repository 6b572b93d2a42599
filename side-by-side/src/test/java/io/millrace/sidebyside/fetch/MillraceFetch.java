package io.millrace.sidebyside.fetch;

import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.client.RetryFilter;
import io.millrace.net.TimedOut;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

public final class MillraceFetch {
    public static void main(String[] args) throws InterruptedException {
        var settings = ClientSettings.standard()
                .timeout(Duration.ofMillis(Long.parseLong(args[1])))
                .filter(RetryFilter.standard().attempts(3).backoff(Duration.ofMillis(100), Duration.ofSeconds(1)));
        try (var client = HttpClient.of(settings)) {
            var call = client.sendAsync(Request.get(args[0]));
            Thread.ofVirtual().start(() -> cancelOnEnter(call));
            var response = call.get();
            System.out.println(response.status() + " " + response.text());
        } catch (CancellationException e) {
            System.out.println("cancelled");
        } catch (ExecutionException e) {
            System.out.println(e.getCause() instanceof TimedOut ? "timed out" : "failed: " + e.getCause());
        }
    }

    private static void cancelOnEnter(CompletableFuture<?> call) {
        try {
            if (System.in.read() == '\n') call.cancel(true);
        } catch (IOException e) {
            System.err.println("no input: " + e);
        }
    }
}
