package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/// Messages of text that come back as they were over a WebSocket, each a frame of its own. What comes back may be in
/// several.
final class WsConversation implements Conversation, WsFrames.Arrival {
    private static final int PIECE_BYTES = 64 << 10;

    /// The mark of a message is another one's.
    private static final String TO_ALL =
            ": if the server sends each message to all connections, --senders N measures that";

    private final BodyPattern pattern;
    private final byte[] head;
    private final int connection;
    private final WsCarrier carrier;
    private final WsFrames frames;

    /// Messages below this number were sent, or are being sent.
    private long asked;

    /// Whether part of a message was written, and not all.
    private boolean isWithin;

    // The message that comes back.

    private long number;
    private int readBytes;

    private WsConversation(WsMessages messages, BodyPattern pattern, byte[] head, int connection) {
        this.pattern = pattern;
        this.head = head;
        this.connection = connection;
        var name = "connection " + connection;
        this.carrier = WsCarrier.of(messages.handshake(), name);
        this.frames = new WsFrames(this, name, false);
    }

    /// Each frame has the same mask, which costs the server what another one would.
    static Supplier<Protocol> protocols(WsMessages messages) {
        int mask = ThreadLocalRandom.current().nextInt() | 1;
        var pattern = BodyPattern.ofText(messages.sizeBytes(), mask);
        var head = WsFrames.head(messages.sizeBytes(), mask);
        return () -> {
            var own = pattern.forAnotherThread();
            return connection -> new WsConversation(messages, own, head, connection);
        };
    }

    // Down.

    @Override
    public int sizeBytes() {
        return head.length + pattern.sizeBytes();
    }

    @Override
    public boolean isOpen() {
        return carrier.isOpen();
    }

    @Override
    public boolean hasBegun() {
        return carrier.isOpen();
    }

    @Override
    public boolean hasRoom() {
        return carrier.isOpen();
    }

    @Override
    public void reply(Output to) {
        carrier.reply(to);
        if (carrier.isOpen() && !isWithin) frames.reply(to, carrier);
    }

    @Override
    public int write(Output to, long which, int from) {
        int ofHead = from == 0 ? head.length : 0;
        int room = carrier.room(Math.min(PIECE_BYTES, sizeBytes() - from));
        if (room <= ofHead) return 0;
        carrier.before(to, room);
        to.write(head, 0, ofHead);
        asked = which + 1;
        isWithin = from + room < sizeBytes();
        int behindHead = Math.max(0, from - head.length);
        pattern.write(to, BodyPattern.mark(connection, which), behindHead, room - ofHead);
        return room;
    }

    // Up.

    @Override
    public boolean read(Input in, long oldest, MeasuredAnswer answer) throws BadAnswer {
        number = oldest;
        if (!carrier.read(in, frames)) return false;
        answer.is(oldest, frames.takeWireBytes(), 0, false, "");
        return true;
    }

    @Override
    public void begins(boolean isPacked) throws BadAnswer {
        if (number >= asked)
            throw new BadAnswer("connection " + connection + " got a message that it had not sent" + TO_ALL);
        readBytes = 0;
    }

    @Override
    public void part(Input in, int length) throws BadAnswer {
        if (length > pattern.sizeBytes() - readBytes) throw new BadAnswer(named() + " came back longer than it was");
        int wrong = pattern.firstWrong(in, BodyPattern.mark(connection, number), readBytes, length);
        if (wrong >= 0) {
            var hint = wrong < BodyPattern.MARK_BYTES ? TO_ALL : "";
            throw new BadAnswer("byte " + wrong + " of " + named() + " came back wrong" + hint);
        }
        readBytes += length;
    }

    @Override
    public void ends() throws BadAnswer {
        if (readBytes < pattern.sizeBytes()) throw new BadAnswer(named() + " came back cut");
    }

    private String named() {
        return "message " + number + " on connection " + connection;
    }

    @Override
    public boolean end(long oldest, MeasuredAnswer answer) {
        return false;
    }
}
