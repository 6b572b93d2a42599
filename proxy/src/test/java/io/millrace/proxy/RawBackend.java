package io.millrace.proxy;

import io.millrace.http.raw.FrameText;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A backend that is none of ours: it does with each connection what the test says, and writes down what it
/// reads.
public final class RawBackend implements AutoCloseable {
    /// What becomes of a connection.
    @FunctionalInterface
    public interface Script {
        void run(Visit visit) throws IOException;
    }

    /// What it does with a frame of a stream.
    @FunctionalInterface
    interface FrameScript {
        void run(FrameText.Frame frame, Visit visit) throws IOException;
    }

    private final ServerSocket listener;
    private final AtomicInteger connections = new AtomicInteger();
    private final LinkedBlockingQueue<Boolean> closed = new LinkedBlockingQueue<>();

    /// Heads of requests.
    final LinkedBlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();

    /// One connection.
    public final class Visit {
        private final Socket socket;
        final InputStream in;
        private final OutputStream out;

        Visit(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        /// The head of the next request.
        public List<String> head() throws IOException {
            var head = RawClient.lines(in);
            heads.add(head);
            return head;
        }

        public Visit send(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            return this;
        }

        /// Reads a body of so many bytes.
        public void skip(long length) throws IOException {
            in.skipNBytes(length);
        }

        /// Reads until the other side ends.
        void awaitEnd() {
            try {
                in.readAllBytes();
            } catch (IOException _) {
                // A reset is an end, too.
            }
            closed.add(true);
        }

        /// Sends nothing more.
        void end() throws IOException {
            socket.shutdownOutput();
        }

        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    public RawBackend(Script script) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> accept(script));
    }

    /// Answers each request with the same.
    public static RawBackend answering(String response) throws IOException {
        return new RawBackend(visit -> {
            while (true) {
                visit.head();
                visit.send(response);
            }
        });
    }

    /// Answers each request with the next one, on whatever connection it comes.
    static RawBackend answeringInTurn(String... responses) throws IOException {
        var next = new ConcurrentLinkedQueue<>(List.of(responses));
        return new RawBackend(visit -> {
            while (true) {
                visit.head();
                visit.send(next.remove());
            }
        });
    }

    /// Speaks HTTP/2, and gives no windows.
    static RawBackend ofHttp2(FrameScript script) throws IOException {
        return new RawBackend(visit -> {
            visit.skip(FrameText.PREFACE.length());
            visit.send(FrameText.HELLO);
            while (true) {
                var frame = FrameText.read(visit.in);
                if (frame.stream() > 0 && frame.type() <= FrameText.HEADERS) script.run(frame, visit);
            }
        });
    }

    private void accept(Script script) {
        while (true) {
            try {
                var socket = listener.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> run(script, socket));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void run(Script script, Socket socket) {
        try (socket) {
            script.run(new Visit(socket));
        } catch (IOException _) {
            // The other side has gone, which the test sees there.
        }
    }

    public String uri() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    public int port() {
        return listener.getLocalPort();
    }

    public int connections() {
        return connections.get();
    }

    /// The head of the next request that comes.
    public List<String> nextHead() throws InterruptedException {
        return heads.poll(20, TimeUnit.SECONDS);
    }

    void awaitClosed() throws InterruptedException {
        if (closed.poll(20, TimeUnit.SECONDS) == null) throw new AssertionError("no connection was closed");
    }

    /// Closes it, and waits until connections are refused: a thread that is about to accept one still does.
    public void end() throws IOException {
        listener.close();
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port()).close();
            } catch (ConnectException _) {
                return;
            } catch (SocketException _) {
                // It was about to be accepted.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
