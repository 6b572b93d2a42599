package io.millrace.http.h2;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a client has got of a connection, by stream: it reads each frame strictly, decodes fields, and checks that
/// the server keeps to its windows. What it sends of itself (acknowledgements, windows) are its
/// [#answers].
final class GotFrames {
    private final HpackPeer hpack = new HpackPeer(HpackDecoder.DEFAULT_TABLE_BYTES);
    private final Map<Integer, GotStream> streams = new TreeMap<>();
    private final ByteArrayOutputStream unread = new ByteArrayOutputStream();
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();
    private final int mostFrameBytes;

    /// What to send next, for what has arrived, beside room.
    private SentFrames answers = new SentFrames();

    private final Map<Integer, Integer> settings = new TreeMap<>();
    private final Map<Integer, Integer> taken = new TreeMap<>();

    /// Whether each body is followed by as much room.
    boolean givesWindow = true;

    /// Whether it knows what the server may send.
    boolean knowsWindows = true;

    /// How each frame came: its type and its stream.
    final List<String> log = new ArrayList<>();

    int goAways;
    int goAwayCode = GotStream.NO_RESET;
    int goAwayLastId;
    int settingsTaken;
    final List<String> pongs = new ArrayList<>();

    private int blockId;
    private int blockFlags;

    // Windows: what the server may send, and what it has let the client send.

    private final Map<Integer, Long> sendable = new TreeMap<>();
    private long allSendable = Http2Codes.USUAL_WINDOW;
    private final Map<Integer, Long> givenRoom = new TreeMap<>();
    private long window = Http2Codes.USUAL_WINDOW;

    /// The most that the server has let the client send on a stream at once.
    long widest;

    private int streamWindow;

    /// @param windowBytes of each stream, as the client's settings say
    GotFrames(int windowBytes) {
        this.streamWindow = windowBytes;
        this.mostFrameBytes = Http2Codes.MOST_BYTES;
    }

    void take(byte[] bytes, int from, int to) {
        unread.write(bytes, from, to - from);
        var all = unread.toByteArray();
        int at = 0;
        while (all.length - at >= Http2Codes.HEADER_BYTES) {
            var header = ByteBuffer.wrap(all, at, Http2Codes.HEADER_BYTES);
            int word = header.getInt();
            int length = word >>> 8;
            if (length > mostFrameBytes) throw new AssertionError("a frame of " + length + " bytes");
            int end = at + Http2Codes.HEADER_BYTES + length;
            if (end > all.length) break;
            int flags = header.get() & 0xff;
            frame(word & 0xff, flags, header.getInt(), Arrays.copyOfRange(all, at + Http2Codes.HEADER_BYTES, end));
            at = end;
        }
        unread.reset();
        unread.write(all, at, all.length - at);
    }

    /// Whether bytes are left that are no whole frame.
    boolean isCut() {
        return unread.size() > 0;
    }

    private void frame(int type, int flags, int id, byte[] payload) {
        log.add(type + " " + id);
        if (blockId != 0 && type != Http2Codes.CONTINUATION)
            throw new AssertionError("a frame within a block of fields");
        var in = ByteBuffer.wrap(payload);
        boolean isAnswer = (flags & Http2Codes.ACK) != 0;
        switch (type) {
            case Http2Codes.HEADERS -> {
                blockId = id;
                blockFlags = flags;
                blockPart(flags, payload);
            }
            case Http2Codes.CONTINUATION -> {
                if (blockId != id) throw new AssertionError("CONTINUATION of another block");
                blockPart(flags, payload);
            }
            case Http2Codes.DATA -> data(id, payload, (flags & Http2Codes.END_STREAM) != 0);
            case Http2Codes.RST_STREAM -> stream(id).resetCode = in.getInt();
            case Http2Codes.WINDOW_UPDATE -> room(id, in.getInt());
            case Http2Codes.SETTINGS -> {
                if (isAnswer) settingsTaken++;
                else answers.settingsTaken();
                while (in.remaining() >= 6) settings.put((int) in.getShort(), in.getInt());
            }
            case Http2Codes.PING -> {
                if (isAnswer) pongs.add(new String(payload, java.nio.charset.StandardCharsets.ISO_8859_1));
                else answers.frame(Http2Codes.PING, Http2Codes.ACK, 0, payload);
            }
            case Http2Codes.GOAWAY -> {
                goAways++;
                goAwayLastId = in.getInt();
                goAwayCode = in.getInt();
            }
            default -> throw new AssertionError("a frame of type " + type);
        }
    }

    private void blockPart(int flags, byte[] payload) {
        block.writeBytes(payload);
        if ((flags & Http2Codes.END_HEADERS) == 0) return;
        var stream = stream(blockId);
        if (stream.isOver()) throw new AssertionError("fields behind the end of " + stream);
        try {
            stream.fields(hpack.decodeFields(block.toByteArray()), (blockFlags & Http2Codes.END_STREAM) != 0);
        } catch (HpackError e) {
            throw new AssertionError("fields that cannot be decoded", e);
        }
        block.reset();
        blockId = 0;
    }

    private void data(int id, byte[] part, boolean ends) {
        allSendable -= part.length;
        long left = sendable.merge(id, streamWindow - (long) part.length, (old, _) -> old - part.length);
        // An end takes no room.
        if (knowsWindows && part.length > 0 && (allSendable < 0 || left < 0))
            throw new AssertionError("more than the window of stream " + id + ": " + left + ", " + allSendable);
        stream(id).data(part, ends);
        if (!givesWindow || part.length == 0) return;
        taken.merge(0, part.length, Integer::sum);
        if (ends) taken.remove(id);
        else taken.merge(id, part.length, Integer::sum);
    }

    /// Gives as much room as was taken, on each stream at once.
    SentFrames answers() {
        taken.forEach(this::more);
        taken.clear();
        var all = answers;
        answers = new SentFrames();
        return all;
    }

    /// Lets the server send more.
    void more(int id, int bytes) {
        answers.window(id, bytes);
        if (id == 0) allSendable += bytes;
        else sendable.merge(id, streamWindow + (long) bytes, (old, _) -> old + bytes);
    }

    /// The client has changed the window of its streams.
    void resized(int windowBytes) {
        long more = windowBytes - (long) streamWindow;
        sendable.replaceAll((_, old) -> old + more);
        streamWindow = windowBytes;
    }

    /// The server has taken a setting of the client's.
    void acknowledged(int tableBytes) {
        hpack.decoder.acknowledged(tableBytes);
    }

    // What the client may send.

    private void room(int id, int more) {
        if (more <= 0) throw new AssertionError("a window that grows by " + more);
        if (id == 0) window += more;
        else
            widest = Math.max(
                    widest, givenRoom.merge(id, (long) Http2Codes.USUAL_WINDOW + more, (old, _) -> old + more));
    }

    /// How much of a body the client may send.
    int room(int id) {
        return (int) Math.min(
                Http2Codes.MOST_BYTES, Math.min(window, givenRoom.getOrDefault(id, 0L + Http2Codes.USUAL_WINDOW)));
    }

    void sent(int id, int bytes) {
        window -= bytes;
        givenRoom.merge(id, (long) Http2Codes.USUAL_WINDOW - bytes, (old, _) -> old - bytes);
    }

    /// What the client may send on all streams.
    long window() {
        return window;
    }

    /// The server's value of a setting; 0 if it has sent none.
    int setting(int number) {
        return settings.getOrDefault(number, 0);
    }

    GotStream stream(int id) {
        return streams.computeIfAbsent(id, GotStream::new);
    }

    /// Keeps nothing of what has come.
    void forget() {
        streams.clear();
        log.clear();
        sendable.clear();
        givenRoom.clear();
    }

    @Override
    public String toString() {
        var last = log.subList(Math.max(0, log.size() - 20), log.size());
        return "GOAWAY " + goAwayCode + ", frames " + last + ", " + streams.values();
    }
}
