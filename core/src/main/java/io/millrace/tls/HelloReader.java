package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.tls.ClientHello.BadHello;
import java.util.Arrays;

/// Assembles a [ClientHello] from any number of records. Memory is used only for bytes that have arrived, and each
/// byte is read once.
final class HelloReader {
    /// A longer message is refused (`tls.hello`).
    static final int MOST_BYTES = 16 << 10;

    private static final int FIRST_BYTES = 512;
    private static final int SMALL_BYTES = 64;
    private static final int SMALL_ROW = 2048;
    private static final int HEADER = 4;

    private byte[] message;
    private int length;

    /// The bytes as they came, if they are to be passed on.
    private final boolean isKeeping;

    private byte[] records = {};
    private int recordsLength;

    HelloReader() {
        this(FIRST_BYTES);
    }

    HelloReader(int firstBytes) {
        this(firstBytes, false);
    }

    private HelloReader(int firstBytes, boolean isKeeping) {
        this.message = new byte[firstBytes];
        this.isKeeping = isKeeping;
    }

    /// A reader that keeps what it takes; see [#records].
    static HelloReader keeping() {
        return new HelloReader(FIRST_BYTES, true);
    }

    /// Reads on.
    ///
    /// @return whether the hello is complete
    /// @throws BadHello when it cannot be a ClientHello
    boolean read(Input in) throws BadHello {
        while (!isWhole()) {
            if (!in.isEmpty() && (in.peekByte(0) & 0xff) != Records.HANDSHAKE)
                throw new BadHello("the first byte is " + (in.peekByte(0) & 0xff) + ": this is not TLS");
            if (in.remaining() < Records.HEADER) return false;
            int size = in.peekShort(3) & 0xffff;
            if (size == 0 || size > Records.MOST_PLAIN) throw new BadHello("a first record of " + size + " bytes");
            if (in.remaining() < Records.HEADER + size) return false;
            if (size < SMALL_BYTES) readSmall(in);
            else take(in, size);
        }
        if (length != HEADER + announced()) throw new BadHello("a ClientHello with bytes after it");
        return true;
    }

    private void take(Input in, int size) throws BadHello {
        makeRoom(size);
        if (isKeeping) keep(in, Records.HEADER + size);
        in.skip(Records.HEADER);
        in.read(message, length, size);
        took(size);
    }

    /// Reads consecutive small records here: with thousands of them, each byte would otherwise cost several calls.
    private void readSmall(Input in) throws BadHello {
        int there = (int) Math.min(in.remaining(), SMALL_ROW);
        var row = new byte[there];
        in.peek(0, row, 0, there);
        int at = 0;
        while (!isWhole() && there - at >= Records.HEADER && row[at] == Records.HANDSHAKE) {
            int size = ((row[at + 3] & 0xff) << 8) | (row[at + 4] & 0xff);
            if (size == 0 || size > there - at - Records.HEADER) break;
            makeRoom(size);
            System.arraycopy(row, at + Records.HEADER, message, length, size);
            took(size);
            at += Records.HEADER + size;
        }
        if (isKeeping) keep(in, at);
        in.skip(at);
    }

    private void makeRoom(int size) throws BadHello {
        if (length + size > HEADER + MOST_BYTES) throw tooLong(length + size);
        if (length + size > message.length)
            message = Arrays.copyOf(message, Math.max(length + size, 2 * message.length));
    }

    private void took(int size) throws BadHello {
        length += size;
        if (length >= HEADER && announced() > MOST_BYTES) throw tooLong(announced());
    }

    private void keep(Input in, int size) {
        if (recordsLength + size > records.length)
            records = Arrays.copyOf(records, Math.max(recordsLength + size, 2 * records.length));
        in.peek(0, records, recordsLength, size);
        recordsLength += size;
    }

    /// Writes everything that was taken, as it came.
    void records(Output to) {
        to.write(records, 0, recordsLength);
    }

    private static BadHello tooLong(int bytes) {
        return new BadHello("a ClientHello of " + bytes + " bytes, the limit is " + MOST_BYTES + " (tls.hello)");
    }

    private boolean isWhole() {
        return length >= HEADER && length - HEADER >= announced();
    }

    private int announced() {
        return ((message[1] & 0xff) << 16) | ((message[2] & 0xff) << 8) | (message[3] & 0xff);
    }

    /// The complete hello.
    ///
    /// @throws BadHello when it cannot be read
    ClientHello hello() throws BadHello {
        return ClientHello.of(message, length);
    }

    byte[] message() {
        return message;
    }

    int length() {
        return length;
    }
}
