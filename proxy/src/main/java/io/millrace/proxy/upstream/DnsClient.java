package io.millrace.proxy.upstream;

import io.millrace.loop.Wording;
import io.millrace.proxy.upstream.DnsMessage.DnsRecord;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// Asks name servers, one after the other, until one answers: in a datagram, and over TCP if the answer
/// does not fit into one (RFC 1035 section 4.2). Blocks; any thread.
///
/// The number and port of each question are random, so that an attacker who cannot see it has to guess
/// among 2³¹ to forge an answer; answers that do not match are ignored until the timeout.
record DnsClient(List<InetSocketAddress> servers, Duration timeout) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /// Datagrams to each server, as they may get lost.
    private static final int TRIES = 2;

    private static final int MOST_DATAGRAM = 4096;

    /// Asks for the records of a name.
    ///
    /// @param name the result of [DnsMessage#checkedName]
    /// @return an answer without an error, or one that there is no such name
    /// @throws IOException if no server gives a usable answer
    DnsMessage.Answer ask(String name, DnsRecord.Type type) throws IOException {
        var failure = new IOException("there is no name server: write one into /etc/resolv.conf");
        for (var server : servers) {
            try {
                var answer = ask(server, name, type);
                if (answer.isFine() || answer.isUnknown()) return answer;
                failure = new IOException(Wording.of(server) + " refused with code " + answer.code());
            } catch (IOException e) {
                failure = new IOException(Wording.of(server) + ": " + e.getMessage(), e);
            }
        }
        throw failure;
    }

    private DnsMessage.Answer ask(InetSocketAddress server, String name, DnsRecord.Type type) throws IOException {
        int id = RANDOM.nextInt(1 << 16);
        var question = DnsMessage.question(id, name, type);
        for (int i = 1; ; i++) {
            try {
                var answer = DnsMessage.answer(datagram(server, question, id), name, type);
                return answer.isTruncated() ? DnsMessage.answer(stream(server, question), name, type) : answer;
            } catch (SocketTimeoutException e) {
                if (i == TRIES) throw new IOException("no answer within " + timeout.toMillis() + " ms", e);
            }
        }
    }

    private byte[] datagram(InetSocketAddress server, byte[] question, int id) throws IOException {
        long deadlineNanos = System.nanoTime() + timeout.toNanos() / TRIES;
        try (var socket = new DatagramSocket()) {
            socket.connect(server);
            socket.send(new DatagramPacket(question, question.length));
            var packet = new DatagramPacket(new byte[MOST_DATAGRAM], MOST_DATAGRAM);
            for (; ; ) {
                long leftMillis = (deadlineNanos - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0) throw new SocketTimeoutException("no answer");
                socket.setSoTimeout((int) Math.min(leftMillis, Integer.MAX_VALUE));
                socket.receive(packet);
                if (!DnsMessage.isAnswer(packet.getData(), packet.getLength(), id)) continue;
                return Arrays.copyOf(packet.getData(), packet.getLength());
            }
        }
    }

    private byte[] stream(InetSocketAddress server, byte[] question) throws IOException {
        int limitMillis = (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE);
        try (var socket = new Socket()) {
            socket.connect(server, limitMillis);
            socket.setSoTimeout(limitMillis);
            var framed = new byte[question.length + 2];
            framed[1] = (byte) question.length;
            framed[0] = (byte) (question.length >>> 8);
            System.arraycopy(question, 0, framed, 2, question.length);
            socket.getOutputStream().write(framed);
            var in = new DataInputStream(socket.getInputStream());
            var answer = new byte[in.readUnsignedShort()];
            in.readFully(answer);
            return answer;
        }
    }
}
