package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.util.function.Supplier;

/// Messages that come back as they were. They are judged as they arrive, wherever the network cuts them.
final class EchoConversation implements Conversation {
    private final BodyPattern pattern;
    private final boolean isVerifying;
    private final int connection;
    private long bytesUnderWay;

    /// Bytes of the message that comes back.
    private int readBytes;

    private EchoConversation(BodyPattern pattern, boolean isVerifying, int connection) {
        this.pattern = pattern;
        this.isVerifying = isVerifying;
        this.connection = connection;
    }

    static Supplier<Protocol> protocols(EchoMessages messages) {
        var pattern = BodyPattern.of(messages.sizeBytes());
        return () -> {
            var own = pattern.forAnotherThread();
            return connection -> new EchoConversation(own, messages.isVerifying(), connection);
        };
    }

    @Override
    public int sizeBytes() {
        return pattern.sizeBytes();
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public int write(Output to, long number, int from) {
        int written = pattern.write(to, BodyPattern.mark(connection, number), from);
        bytesUnderWay += written;
        return written;
    }

    @Override
    public boolean read(Input in, long number, MeasuredAnswer answer) throws BadAnswer {
        if (in.remaining() > bytesUnderWay) {
            throw new BadAnswer("connection " + connection + " got more bytes back than it had sent");
        }
        int length = (int) Math.min(in.remaining(), sizeBytes() - readBytes);
        check(in, number, length);
        bytesUnderWay -= length;
        readBytes += length;
        if (readBytes < sizeBytes()) return false;
        readBytes = 0;
        answer.is(number, sizeBytes(), 0, false, "");
        return true;
    }

    private void check(Input in, long number, int length) throws BadAnswer {
        if (!isVerifying) {
            in.skip(length);
            return;
        }
        int wrong = pattern.firstWrong(in, BodyPattern.mark(connection, number), readBytes, length);
        if (wrong < 0) return;
        throw new BadAnswer(
                "byte " + wrong + " of message " + number + " on connection " + connection + " came back wrong");
    }

    @Override
    public boolean end(long number, MeasuredAnswer answer) {
        return false;
    }
}
