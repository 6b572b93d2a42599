package io.millrace.proxy;

import io.millrace.proxy.StrictReader.Ambiguous;
import io.millrace.proxy.StrictReader.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;

/// A backend that writes down every request it gets, and what is none; it says in its answers what it was asked.
final class RecordingBackend implements AutoCloseable {
    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> ambiguous = new LinkedBlockingQueue<>();
    private final RawBackend backend;

    RecordingBackend() throws IOException {
        backend = new RawBackend(this::serve);
    }

    private void serve(RawBackend.Visit visit) throws IOException {
        var reader = new StrictReader(visit.in);
        try {
            for (var head = reader.head(); head.isPresent(); head = reader.head()) {
                if (!head.get().all("Expect").isEmpty()) visit.send("HTTP/1.1 100 Continue\r\n\r\n");
                var message = reader.body(head.get());
                messages.add(message);
                visit.send(answer(message));
            }
        } catch (Ambiguous e) {
            ambiguous.add(String.valueOf(e.getMessage()));
        }
    }

    private static String answer(Message message) {
        var body = message.method().equals("HEAD") ? "" : message.body();
        return "HTTP/1.1 200 OK\r\nContent-Length: " + message.body().length() + "\r\nX-Method: " + message.method()
                + "\r\nX-Target: " + message.target() + "\r\n\r\n" + body;
    }

    /// The requests since the last call.
    List<Message> taken() {
        var all = new ArrayList<Message>();
        messages.drainTo(all);
        return all;
    }

    /// What was none, since the last call.
    List<String> ambiguous() {
        var all = new ArrayList<String>();
        ambiguous.drainTo(all);
        return all;
    }

    String uri() {
        return backend.uri();
    }

    @Override
    public void close() throws IOException {
        backend.close();
    }
}
