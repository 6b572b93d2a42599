package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Serving;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/// A client of HTTP/2 that is none of ours but for the decoder of fields: a socket, which is read while a test waits
/// for something.
final class Http2Peer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int CHUNK_BYTES = 64 << 10;

    private final Socket socket;
    private final InputStream in;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    final GotFrames got;

    private int nextId = 1;
    private boolean hasEnded;
    private boolean isSilent;

    private Http2Peer(Socket socket, int windowBytes) throws IOException {
        // A test that waits for ever should rather fail.
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.socket = socket;
        this.in = socket.getInputStream();
        this.got = new GotFrames(windowBytes);
    }

    static Http2Peer of(Serving serving) throws IOException {
        return of(serving, Http2Codes.USUAL_WINDOW);
    }

    /// @param windowBytes that the server may send on each stream
    static Http2Peer of(Serving serving, int windowBytes) throws IOException {
        return over(
                new Socket(InetAddress.getLoopbackAddress(), serving.server().port()), windowBytes);
    }

    static Http2Peer over(Socket socket, int windowBytes) throws IOException {
        var peer = new Http2Peer(socket, windowBytes);
        return peer.send(SentFrames.preface(Http2Codes.WINDOW, windowBytes));
    }

    /// One that sends nothing unless a test says so.
    static Http2Peer silent(Serving serving) throws IOException {
        var socket =
                new Socket(InetAddress.getLoopbackAddress(), serving.server().port());
        var peer = new Http2Peer(socket, Http2Codes.USUAL_WINDOW);
        peer.isSilent = true;
        return peer;
    }

    /// Gives no room of itself.
    Http2Peer givesNoWindow() {
        got.givesWindow = false;
        return this;
    }

    // Sending.

    Http2Peer send(SentFrames frames) throws IOException {
        return send(frames.toBytes());
    }

    Http2Peer send(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /// Sends on a thread of its own, until all is sent or nobody takes it.
    CompletableFuture<Void> sendMeanwhile(SentFrames frames) {
        return CompletableFuture.runAsync(() -> {
            try {
                send(frames);
            } catch (IOException _) {
                // The other side has closed, which is what tests of attacks wait for.
            }
        });
    }

    int nextId() {
        int id = nextId;
        nextId += 2;
        return id;
    }

    /// Asks for a path, and returns the number of the stream.
    int get(String path, String... fields) throws IOException {
        return ask("GET", path, true, fields);
    }

    int post(String path, String... fields) throws IOException {
        return ask("POST", path, false, fields);
    }

    int ask(String method, String path, boolean endsStream, String... fields) throws IOException {
        int id = nextId();
        send(new SentFrames().headers(id, endsStream, SentFrames.request(method, path, fields)));
        return id;
    }

    /// Sends a body and its end, as the server takes it.
    Http2Peer body(int id, byte[] body) throws IOException {
        part(id, body, true);
        return this;
    }

    /// Sends a part of a body, as the server takes it; less of it when the stream is over.
    void part(int id, byte[] part, boolean isLast) throws IOException {
        int at = 0;
        do {
            until(() -> got.room(id) > 0 || part.length == 0 || got.stream(id).resetCode != GotStream.NO_RESET);
            if (got.stream(id).resetCode != GotStream.NO_RESET) return;
            int length = Math.min(part.length - at, got.room(id));
            got.sent(id, length);
            boolean isEnd = isLast && at + length == part.length;
            send(new SentFrames().data(id, isEnd, Arrays.copyOfRange(part, at, at + length)));
            at += length;
        } while (at < part.length);
    }

    /// Sends what it has to say of itself.
    void flush() throws IOException {
        send(got.answers());
    }

    Http2Peer end() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    // Reading.

    /// Reads until it is so.
    void until(BooleanSupplier isSo) throws IOException {
        while (!isSo.getAsBoolean()) {
            if (hasEnded) throw new IOException("the connection has ended: " + got);
            read();
        }
    }

    private void read() throws IOException {
        int count = in.read(chunk);
        hasEnded = count < 0;
        if (count > 0) got.take(chunk, 0, count);
        if (isSilent) return;
        var answers = got.answers();
        if (!hasEnded && answers.size() > 0) sendIfOpen(answers.toBytes());
    }

    /// The server may have closed, after what it has sent, which is read nevertheless.
    ///
    /// @return whether it was sent
    boolean sendIfOpen(byte... bytes) {
        try {
            send(bytes);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /// The response, when it is over.
    GotStream reply(int id) throws IOException {
        until(() -> got.stream(id).isOver());
        return got.stream(id);
    }

    /// The response, when it is complete.
    GotStream whole(int id) throws IOException {
        var reply = reply(id);
        if (!reply.hasEnded) throw new IOException("it was reset: " + reply);
        return reply;
    }

    /// The head of a response.
    GotStream head(int id) throws IOException {
        until(() -> got.stream(id).status != 0 || got.stream(id).isOver());
        return got.stream(id);
    }

    /// The code of the reset.
    int resetCode(int id) throws IOException {
        var reply = reply(id);
        if (reply.resetCode == GotStream.NO_RESET) throw new IOException("it was not reset: " + reply);
        return reply.resetCode;
    }

    /// Reads until the server has taken all that was sent before.
    Http2Peer sync() throws IOException {
        var ping = "ping%04d".formatted(got.pongs.size());
        send(new SentFrames().ping(ping));
        until(() -> got.pongs.contains(ping));
        return this;
    }

    /// The code that the server says goodbye with, when it has closed the connection.
    int goodbye() throws IOException {
        try {
            while (!hasEnded) read();
        } catch (java.net.SocketException _) {
            // A reset, which may overtake what it sent at last.
        }
        if (got.goAwayCode == GotStream.NO_RESET) throw new IOException("it said no goodbye: " + got);
        return got.goAwayCode;
    }

    void assertEnd() throws IOException {
        while (!hasEnded) read();
        assertEquals(false, got.isCut(), "a frame that is cut");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
