package io.millrace.proxy.upstream;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A small name server on the loopback interface, over UDP and TCP, which knows what a test tells it.
final class NameServer implements AutoCloseable {
    static final int SERVFAIL = 2;
    static final int NXDOMAIN = 3;

    private final DatagramSocket datagrams;
    private final ServerSocket streams;
    private final Map<String, Zone> zones = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    final AtomicInteger asked = new AtomicInteger();
    final AtomicInteger askedByTcp = new AtomicInteger();

    /// Answers that somebody else sends first.
    private volatile int forgeries;

    private volatile int code = NXDOMAIN;
    private volatile boolean isSilent;

    /// @param records of all types that it has
    private record Zone(List<Entry> records, boolean isLarge) {}

    /// One number for both protocols. Which numbers are free differs between them, and a number of TCP's can be
    /// taken by a connection that some other test makes: then the next one is tried.
    private record Ports(DatagramSocket datagrams, ServerSocket streams) {
        static Ports bind(InetAddress host) throws IOException {
            for (int left = 100; ; left--) {
                var streams = new ServerSocket(0, 5, host);
                try {
                    return new Ports(new DatagramSocket(streams.getLocalPort(), host), streams);
                } catch (BindException e) {
                    streams.close();
                    if (left == 1) throw e;
                }
            }
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Entry(String owner, int type, int seconds, byte[] data) {}

    NameServer() throws IOException {
        var loopback = InetAddress.getLoopbackAddress();
        var ports = Ports.bind(loopback);
        datagrams = ports.datagrams;
        streams = ports.streams;
        threads.add(Thread.ofPlatform().start(this::serveDatagrams));
        threads.add(Thread.ofPlatform().start(this::serveStreams));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) datagrams.getLocalSocketAddress();
    }

    // What it knows.

    NameServer addresses(String name, int seconds, String... addresses) {
        var records = new ArrayList<Entry>();
        for (var text : addresses) {
            var data = InetAddress.ofLiteral(text).getAddress();
            records.add(new Entry(name, data.length == 4 ? 1 : 28, seconds, data));
        }
        zones.put(name, new Zone(records, false));
        return this;
    }

    /// Whose answers do not fit into a datagram.
    NameServer large(String name, int seconds, String... addresses) {
        addresses(name, seconds, addresses);
        zones.computeIfPresent(name, (_, zone) -> new Zone(zone.records(), true));
        return this;
    }

    /// An alias, with the addresses of the name behind it.
    NameServer alias(String name, int seconds, String target) {
        var records = new ArrayList<>(
                zones.getOrDefault(target, new Zone(List.of(), false)).records());
        records.addFirst(new Entry(name, 5, seconds, encoded(target)));
        zones.put(name, new Zone(records, false));
        return this;
    }

    /// @param services `priority weight port target`
    NameServer services(String name, int seconds, String... services) {
        var records = new ArrayList<Entry>();
        for (var service : services) {
            var words = service.split(" ", -1);
            var target = encoded(words[3]);
            var data = ByteBuffer.allocate(6 + target.length);
            for (int i = 0; i < 3; i++) data.putShort((short) Integer.parseInt(words[i]));
            records.add(new Entry(name, 33, seconds, data.put(target).array()));
        }
        zones.put(name, new Zone(records, false));
        return this;
    }

    NameServer forget(String name) {
        zones.remove(name);
        return this;
    }

    /// What it says of names that it does not know.
    NameServer otherwise(int code) {
        this.code = code;
        return this;
    }

    NameServer forging(int count) {
        forgeries = count;
        return this;
    }

    NameServer silent(boolean isSilent) {
        this.isSilent = isSilent;
        return this;
    }

    // How it answers.

    private void serveDatagrams() {
        var packet = new DatagramPacket(new byte[512], 512);
        try {
            while (true) {
                packet.setLength(512);
                datagrams.receive(packet);
                if (isSilent) continue;
                asked.incrementAndGet();
                var question = Arrays.copyOf(packet.getData(), packet.getLength());
                for (int i = 0; i < forgeries; i++) send(forged(answer(question, false), i), packet);
                send(answer(question, true), packet);
            }
        } catch (IOException e) {
            if (!datagrams.isClosed()) throw new UncheckedIOException(e);
        }
    }

    private void send(byte[] answer, DatagramPacket to) throws IOException {
        datagrams.send(new DatagramPacket(answer, answer.length, to.getSocketAddress()));
    }

    /// An answer with another address, and with another number, or as a question.
    private static byte[] forged(byte[] answer, int kind) {
        answer[answer.length - 1] ^= 0x55;
        if (kind % 2 == 0) answer[1] ^= 1;
        else answer[2] &= 0x7f;
        return answer;
    }

    private void serveStreams() {
        try {
            while (true) {
                try (var stream = streams.accept()) {
                    askedByTcp.incrementAndGet();
                    var in = new DataInputStream(stream.getInputStream());
                    var question = in.readNBytes(in.readUnsignedShort());
                    var answer = answer(question, false);
                    var out = new DataOutputStream(stream.getOutputStream());
                    out.writeShort(answer.length);
                    out.write(answer);
                }
            }
        } catch (IOException e) {
            if (!streams.isClosed()) throw new UncheckedIOException(e);
        }
    }

    private byte[] answer(byte[] question, boolean isDatagram) {
        var out = ByteBuffer.allocate(65_535).put(question);
        var name = nameAt(question);
        int type = question[question.length - 3] & 0xff;
        var zone = zones.get(name);
        boolean isTruncated = zone != null && zone.isLarge() && isDatagram;
        int count = 0;
        for (var entry : zone == null || isTruncated ? List.<Entry>of() : zone.records()) {
            if (entry.type() != type && entry.type() != 5) continue;
            // A pointer to the question, where it is the same name, as servers do.
            if (entry.owner().equals(name)) out.putShort((short) 0xc00c);
            else out.put(encoded(entry.owner()));
            out.putShort((short) entry.type()).putShort((short) 1).putInt(entry.seconds());
            out.putShort((short) entry.data().length).put(entry.data());
            count++;
        }
        out.putShort(2, (short) (0x8180 | (isTruncated ? 0x0200 : 0) | (zone == null ? code : 0)));
        out.putShort(6, (short) count);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static String nameAt(byte[] question) {
        var text = new StringBuilder();
        for (int at = 12; question[at] != 0; at += question[at] + 1) {
            if (!text.isEmpty()) text.append('.');
            text.append(new String(question, at + 1, question[at], StandardCharsets.US_ASCII));
        }
        return text.toString();
    }

    private static byte[] encoded(String name) {
        if (name.equals(".")) return new byte[1];
        var out = ByteBuffer.allocate(name.length() + 2);
        for (var label : name.split("\\.", -1)) {
            out.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        return out.put((byte) 0).array();
    }

    @Override
    public void close() {
        datagrams.close();
        try {
            streams.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits until it is closed.
    void join() throws InterruptedException {
        for (var thread : threads) thread.join();
    }
}
