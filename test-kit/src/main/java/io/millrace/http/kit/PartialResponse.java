package io.millrace.http.kit;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Keeps what has arrived of a response.
final class PartialResponse implements ResponseReader<PartialResponse> {
    /// Fields that describe the original body, or are in each response anyway.
    private static final Set<String> LEFT_OUT =
            Set.of("connection", "content-length", "content-type", "date", "transfer-encoding");

    private final String request;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable Response head;

    PartialResponse(String request) {
        this.request = request;
    }

    @Override
    public void onHead(Response received) {
        head = received;
    }

    @Override
    public void onBody(Input part) {
        body.writeBytes(part.readBytes(part.remaining()).toArray());
    }

    @Override
    public PartialResponse onEnd() {
        return this;
    }

    Response soFar(Duration time) {
        var received = head;
        if (received == null) {
            throw new IllegalStateException(
                    "there is no response to " + request + " after " + time.toMillis() + " ms of virtual time");
        }
        var type = received.header("content-type").orElse("application/octet-stream");
        var made = new AtomicReference<>(Response.of(received.status(), type, Bytes.of(body.toByteArray())));
        received.headers().forEach((name, value) -> {
            if (!LEFT_OUT.contains(name.toLowerCase(Locale.ROOT)))
                made.set(made.get().addHeader(name, value));
        });
        return made.get();
    }
}
