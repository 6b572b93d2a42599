package io.millrace.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A server that is none of ours: plain sockets, and a script for each connection that says what it does. Closing
/// it throws what a script threw.
final class ScriptedServer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    @FunctionalInterface
    interface Script {
        void run(Talk talk) throws Exception;
    }

    private final ServerSocket listener;
    private final Script script;
    private final AtomicInteger accepted = new AtomicInteger();
    private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private ScriptedServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.script = script;
    }

    static ScriptedServer start(Script script) throws IOException {
        var server = new ScriptedServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), script);
        server.threads.add(Thread.ofPlatform().start(server::accept));
        return server;
    }

    /// Answers each request of each connection with the same bytes.
    static ScriptedServer answering(String response) throws IOException {
        return start(talk -> {
            while (talk.hasRequest()) talk.send(response);
        });
    }

    private void accept() {
        while (true) {
            try {
                var socket = listener.accept();
                socket.setSoTimeout(PATIENCE_MILLIS);
                sockets.add(socket);
                int number = accepted.incrementAndGet();
                threads.add(Thread.ofPlatform().start(() -> talk(socket, number)));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void talk(Socket socket, int number) {
        try (socket) {
            script.run(new Talk(socket, number));
        } catch (Throwable e) {
            if (!listener.isClosed()) failures.add(e);
        }
    }

    int accepted() {
        return accepted.get();
    }

    String url(String path) {
        return "http://127.0.0.1:" + listener.getLocalPort() + path;
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : sockets) socket.close();
            for (var thread : threads) thread.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failures.forEach(failure -> {
            throw new AssertionError("a script threw", failure);
        });
    }

    /// One connection; its socket is closed when the script returns.
    static final class Talk {
        private final Socket socket;
        final InputStream in;

        /// Counted from 1.
        final int number;

        /// The head that [#hasRequest] has read.
        String last = "";

        private Talk(Socket socket, int number) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.number = number;
        }

        /// Reads a request of a known length; fails when there is none.
        String request() throws IOException {
            var text = head();
            for (var line : text.split("\r\n", -1)) {
                if (line.startsWith("Content-Length: ")) in.readNBytes(Integer.parseInt(line.substring(16)));
            }
            return text;
        }

        /// Reads the head of a request, and not its body.
        String head() throws IOException {
            var head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int b = in.read();
                if (b < 0) throw new EOFException("in a request, after " + head);
                head.write(b);
            }
            return head.toString(StandardCharsets.ISO_8859_1);
        }

        /// The next bytes, as they came.
        String text(int length) throws IOException {
            return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
        }

        /// How many bytes come until the client has gone.
        long countRest() {
            long count = 0;
            try {
                while (in.read() >= 0) count++;
            } catch (IOException _) {
                // Reset, which is an end, too.
            }
            return count;
        }

        /// Whether another request came, which is read then; false at the end.
        boolean hasRequest() throws IOException {
            in.mark(1);
            try {
                if (in.read() < 0) return false;
            } catch (IOException _) {
                return false;
            }
            in.reset();
            last = request();
            return true;
        }

        Talk send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            return this;
        }

        /// Half-close.
        void end() throws IOException {
            socket.shutdownOutput();
        }

        /// A reset instead of an end.
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /// Until the client has gone.
        void awaitEnd() {
            try {
                in.skip(Long.MAX_VALUE);
                while (in.read() >= 0) {}
            } catch (IOException _) {
                // Reset, which is an end, too.
            }
        }
    }
}
