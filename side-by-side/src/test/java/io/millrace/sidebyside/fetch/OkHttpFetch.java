package io.millrace.sidebyside.fetch;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

public final class OkHttpFetch {
    public static void main(String[] args) {
        var client = new OkHttpClient.Builder()
                .callTimeout(Duration.ofMillis(Long.parseLong(args[1])))
                .addInterceptor(new Retry(3, Duration.ofMillis(100)))
                .build();
        var call = client.newCall(new Request.Builder().url(args[0]).build());
        Thread.ofVirtual().start(() -> cancelOnEnter(call));
        try (var response = call.execute()) {
            System.out.println(response.code() + " " + response.body().string());
        } catch (InterruptedIOException e) {
            System.out.println("timed out");
        } catch (IOException e) {
            System.out.println(call.isCanceled() ? "cancelled" : "failed: " + e);
        }
    }

    private static void cancelOnEnter(Call call) {
        try {
            if (System.in.read() == '\n') call.cancel();
        } catch (IOException e) {
            System.err.println("no input: " + e);
        }
    }

    private record Retry(int attempts, Duration backoff) implements Interceptor {
        private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE");
        private static final Set<Integer> STATUSES = Set.of(429, 502, 503, 504);

        @Override
        public Response intercept(Chain chain) throws IOException {
            var most = IDEMPOTENT.contains(chain.request().method()) ? attempts : 1;
            for (int attempt = 1; ; attempt++) {
                try {
                    var response = chain.proceed(chain.request());
                    if (attempt == most || !STATUSES.contains(response.code())) return response;
                    response.close();
                } catch (IOException e) {
                    if (attempt == most || chain.call().isCanceled()) throw e;
                }
                pause(backoff.toMillis() << (attempt - 1));
            }
        }

        private static void pause(long millis) throws InterruptedIOException {
            try {
                Thread.sleep(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
    }
}
