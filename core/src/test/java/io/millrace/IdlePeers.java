package io.millrace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/// Clients of an echo server in a process of their own. They connect, say something once, and are idle until they
/// are told otherwise: a line for each line.
final class IdlePeers {
    private final InetSocketAddress server;
    private final List<SocketChannel> peers = new ArrayList<>();

    private IdlePeers(int port) {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// The argument is the server's port.
    public static void main(String[] arguments) throws IOException {
        var all = new IdlePeers(Integer.parseInt(arguments[0]));
        try (var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) System.out.println(all.answer(line));
        }
    }

    private String answer(String question) throws IOException {
        var words = question.split(" ", -1);
        return switch (words[0]) {
            case "open" -> open(Integer.parseInt(words[1]));
            case "echo" -> echo(peers.get(Integer.parseInt(words[1])));
            case "close" -> close();
            default -> "nobody knows what '" + question + "' means";
        };
    }

    private String open(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            var peer = SocketChannel.open(server);
            peers.add(peer);
            echo(peer);
        }
        return peers.size() + " are open";
    }

    private static String echo(SocketChannel peer) throws IOException {
        peer.write(UTF_8.encode("x"));
        var heard = ByteBuffer.allocate(2);
        int length = peer.read(heard);
        if (length != 1 || heard.get(0) != 'x') throw new IOException("heard " + length + " bytes instead of an x");
        return "x";
    }

    private String close() throws IOException {
        for (var peer : peers) peer.close();
        peers.clear();
        return "closed";
    }
}
