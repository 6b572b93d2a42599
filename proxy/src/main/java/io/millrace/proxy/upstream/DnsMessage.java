package io.millrace.proxy.upstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A DNS question, and the reader of its answer (RFC 1035 section 4). Strict: an answer that contradicts
/// itself, is cut off, or has a name that no host can have is refused.
final class DnsMessage {
    private static final int HEADER = 12;
    private static final int IN = 1;
    private static final int CNAME = 5;
    private static final int MOST_ALIASES = 16;
    private static final int MOST_NAME = 253;
    private static final int RESPONSE = 0x8000;
    private static final int TRUNCATED = 0x0200;
    private static final int WANT_RECURSION = 0x0100;

    /// @param code 0 for success, 3 for a name that does not exist (RFC 1035 section 4.1.1)
    /// @param seconds how long all of it is valid
    record Answer(int code, boolean isTruncated, List<DnsRecord> records, long seconds) {
        boolean isFine() {
            return code == 0;
        }

        boolean isUnknown() {
            return code == 3;
        }
    }

    /// A record as it is in the message.
    private record Raw(int type, long seconds, int at, int length) {}

    private final ByteBuffer bytes;
    private final String name;
    private final DnsRecord.Type type;

    private DnsMessage(byte[] message, String name, DnsRecord.Type type) {
        this.bytes = ByteBuffer.wrap(message);
        this.name = name;
        this.type = type;
    }

    /// A question.
    ///
    /// @param name in lower case, without a dot at the end
    static byte[] question(int id, String name, DnsRecord.Type type) {
        var out = new ByteArrayOutputStream();
        for (int number : new int[] {id, WANT_RECURSION, 1, 0, 0, 0}) putShort(out, number);
        for (var label : name.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.write(0);
        putShort(out, type.number);
        putShort(out, IN);
        return out.toByteArray();
    }

    private static void putShort(ByteArrayOutputStream out, int number) {
        out.write(number >>> 8);
        out.write(number);
    }

    /// A name in the form of questions.
    ///
    /// @throws IllegalArgumentException for a name that no host can have
    static String checkedName(String name) {
        var bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        boolean isFine = bare.length() <= MOST_NAME && !bare.isEmpty();
        for (var label : bare.split("\\.", -1)) isFine &= label.matches("[A-Za-z0-9_-]{1,63}");
        if (isFine) return bare.toLowerCase(Locale.ROOT);
        throw new IllegalArgumentException("'" + name + "' is not a host name: take one like app.example.org");
    }

    /// Whether a message is the answer to the question with this number.
    static boolean isAnswer(byte[] message, int length, int id) {
        if (length < HEADER) return false;
        return ((message[0] & 0xff) << 8 | (message[1] & 0xff)) == id && (message[2] & 0x80) != 0;
    }

    /// Reads an answer.
    ///
    /// @throws IOException if it is not a valid answer to this question, with the reason
    static Answer answer(byte[] message, String name, DnsRecord.Type type) throws IOException {
        try {
            return new DnsMessage(message, name, type).read();
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException("a DNS answer that is cut off", e);
        }
    }

    private Answer read() throws IOException {
        bytes.getShort();
        int flags = bytes.getShort() & 0xffff;
        int questions = bytes.getShort() & 0xffff;
        int answers = bytes.getShort() & 0xffff;
        bytes.getInt();
        boolean isTruncated = (flags & TRUNCATED) != 0;
        if ((flags & RESPONSE) == 0 || questions != 1) throw new IOException("not a DNS answer");
        if (!name().equals(name) || shortNumber() != type.number || shortNumber() != IN) {
            throw new IOException("a DNS answer to another question");
        }
        int code = flags & 0xf;
        if (isTruncated || code != 0) return new Answer(code, isTruncated, List.of(), 0);
        return chosen(records(answers));
    }

    private Map<String, List<Raw>> records(int count) throws IOException {
        var records = new HashMap<String, List<Raw>>();
        for (int i = 0; i < count; i++) {
            var owner = name();
            int recordType = shortNumber();
            boolean isInternet = shortNumber() == IN;
            // RFC 2181 section 8: a TTL with the highest bit set counts as zero.
            int seconds = Math.max(0, bytes.getInt());
            int length = shortNumber();
            var record = new Raw(recordType, seconds, bytes.position(), length);
            bytes.position(bytes.position() + length);
            if (isInternet)
                records.computeIfAbsent(owner, _ -> new ArrayList<>()).add(record);
        }
        return records;
    }

    /// The records of the name, or of the name that it is an alias of.
    private Answer chosen(Map<String, List<Raw>> records) throws IOException {
        var owner = name;
        long seconds = Integer.MAX_VALUE;
        for (int i = 0; i <= MOST_ALIASES; i++) {
            var found = new ArrayList<DnsRecord>();
            var alias = "";
            for (var raw : records.getOrDefault(owner, List.of())) {
                if (raw.type() == type.number) found.add(record(raw));
                else if (raw.type() == CNAME) alias = nameAt(raw.at());
                else continue;
                seconds = Math.min(seconds, raw.seconds());
            }
            if (!found.isEmpty() || alias.isEmpty()) return new Answer(0, false, List.copyOf(found), seconds);
            owner = alias;
        }
        throw new IOException(name + " has more than " + MOST_ALIASES + " aliases in a row");
    }

    private DnsRecord record(Raw raw) throws IOException {
        bytes.position(raw.at());
        if (type == DnsRecord.Type.SRV) {
            var service = new DnsRecord.ServiceRecord(shortNumber(), shortNumber(), shortNumber(), name());
            if (bytes.position() != raw.at() + raw.length()) throw new IOException("a record of the wrong length");
            return service;
        }
        var address = new byte[type == DnsRecord.Type.A ? 4 : 16];
        if (raw.length() != address.length) throw new IOException("an address of " + raw.length() + " bytes");
        bytes.get(address);
        return new DnsRecord.Address(InetAddress.getByAddress(address));
    }

    private int shortNumber() {
        return bytes.getShort() & 0xffff;
    }

    private String nameAt(int at) throws IOException {
        bytes.position(at);
        return name();
    }

    /// A name, whose end may be at an earlier place (RFC 1035 section 4.1.4). Each jump leads further
    /// back, so reading ends.
    private String name() throws IOException {
        var text = new StringBuilder();
        int back = -1;
        int before = bytes.position();
        for (; ; ) {
            int length = bytes.get() & 0xff;
            if (length == 0) break;
            if (length >= 0xc0) {
                int to = (length & 0x3f) << 8 | (bytes.get() & 0xff);
                if (back < 0) back = bytes.position();
                if (to >= before) throw new IOException("a name that leads forward");
                before = to;
                bytes.position(to);
                continue;
            }
            if (length > 63) throw new IOException("a name of an unknown kind");
            if (!text.isEmpty()) text.append('.');
            for (int i = 0; i < length; i++) text.append(letter());
            if (text.length() > MOST_NAME) throw new IOException("a name of more than " + MOST_NAME + " letters");
        }
        if (back >= 0) bytes.position(back);
        return text.toString();
    }

    private char letter() throws IOException {
        char letter = (char) (bytes.get() & 0xff);
        if (letter >= 'A' && letter <= 'Z') return (char) (letter + 32);
        boolean isAlphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (isAlphanumeric || letter == '-' || letter == '_') {
            return letter;
        }
        throw new IOException("a name with the letter " + (int) letter);
    }

    /// A DNS record.
    sealed interface DnsRecord {
        /// Type A or AAAA (RFC 1035 section 3.4.1, RFC 3596).
        record Address(InetAddress address) implements DnsRecord {}

        /// Type SRV (RFC 2782).
        ///
        /// @param target without a dot at its end; empty for "no such service"
        record ServiceRecord(int priority, int weight, int port, String target) implements DnsRecord {}

        /// The types of questions, with their numbers.
        enum Type {
            A(1),
            AAAA(28),
            SRV(33);

            final int number;

            Type(int number) {
                this.number = number;
            }
        }
    }
}
