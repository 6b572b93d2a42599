package io.millrace.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A backend that is none of ours, for what ours refuse or do not have: it reads a head, and does what the test says.
final class ScriptedBackend implements AutoCloseable {
    private final ServerSocketChannel listener;

    /// What becomes of a connection.
    @FunctionalInterface
    interface Script {
        /// Called when the first head is there; the connection ends with it.
        ///
        /// @param head its lines
        void run(List<String> head, InputStream in, OutputStream out) throws IOException;
    }

    private ScriptedBackend(SocketAddress address, Script script) throws IOException {
        listener = address instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        listener.bind(address);
        Thread.ofVirtual().start(() -> accept(script));
    }

    static ScriptedBackend at(SocketAddress address, Script script) throws IOException {
        return new ScriptedBackend(address, script);
    }

    static ScriptedBackend of(Script script) throws IOException {
        return at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), script);
    }

    static void answer(OutputStream out, String text) throws IOException {
        send(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    static void send(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    String address() throws IOException {
        return "127.0.0.1:" + ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private void accept(Script script) {
        while (true) {
            try {
                var socket = listener.accept();
                Thread.ofVirtual().start(() -> run(script, socket));
            } catch (IOException _) {
                return;
            }
        }
    }

    private static void run(Script script, SocketChannel socket) {
        try (socket;
                var in = new BufferedInputStream(Channels.newInputStream(socket));
                var out = Channels.newOutputStream(socket)) {
            script.run(head(in), in, out);
        } catch (IOException _) {
            // The other side has gone, which the test sees there.
        }
    }

    /// The lines of a head, to the empty one.
    static List<String> head(InputStream in) throws IOException {
        var lines = new ArrayList<String>();
        for (var line = line(in); !line.isEmpty(); line = line(in)) lines.add(line);
        return lines;
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) throw new IOException("ended after '" + line + "'");
            if (b != '\r') line.append((char) b);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
