package io.millrace.http.h2;

import io.millrace.http.grammar.Syntax;
import io.millrace.loop.LoopLog;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import java.lang.System.Logger.Level;

/// Writes frames: short ones are collected in the loop's array during a call, bodies move behind them.
final class FrameWriter {
    /// Collected before it goes to the output.
    private static final int ENOUGH_BYTES = 8 << 10;

    private static final System.Logger LOG = LoopLog.of("io.millrace.http");
    private static final byte[] PREFACE = Syntax.latin1(Http2Codes.PREFACE);

    private final TcpConnection connection;
    private final LoopOutput output;
    private final LoopScratch scratch;
    private final HpackBlock text;

    // Of the block of fields that is being written.

    private int blockId;
    private int blockStart;

    FrameWriter(TcpConnection connection, LoopScratch scratch) {
        this.connection = connection;
        this.output = (LoopOutput) connection.output();
        this.scratch = scratch;
        this.text = scratch.text;
    }

    /// What was collected goes to the output.
    void flush() {
        if (!scratch.isWriter(this) || text.length == 0) return;
        int count = text.length;
        text.length = 0;
        try {
            output.write(text.bytes, 0, count);
        } catch (RuntimeException | Error e) {
            // Nothing can follow half a frame.
            connection.abort();
            throw e;
        }
    }

    /// The array is another connection's from now on, which has nothing to do with an error of this one.
    void leave() {
        try {
            flush();
        } catch (RuntimeException e) {
            connection
                    .errors()
                    .log(LOG, Level.WARNING, "frames", () -> "frames for " + connection.remote() + " are lost", e);
        }
    }

    private void header(int length, int type, int flags, int id) {
        scratch.becomesWriter(this);
        if (text.length >= ENOUGH_BYTES) flush();
        text.put32(length << 8 | type);
        text.put(flags);
        text.put32(id);
    }

    /// A client's first bytes.
    void preface() {
        scratch.becomesWriter(this);
        text.put(PREFACE, 0, PREFACE.length);
    }

    /// A block of fields follows in the array that this returns, and [#endHeaders].
    HpackBlock headers(int id, boolean endsStream) {
        header(0, Http2Codes.HEADERS, endsStream ? Http2Codes.END_STREAM : 0, id);
        blockId = id;
        blockStart = text.length;
        return text;
    }

    /// The block is complete: its length is known, and it may need more frames.
    void endHeaders(int mostBytes) {
        int id = blockId;
        int start = blockStart;
        int length = text.length - start;
        int first = Math.min(length, mostBytes);
        text.replace24(start - Http2Codes.HEADER_BYTES, first);
        int flags = start - Http2Codes.HEADER_BYTES + 4;
        if (first == length) {
            text.bytes[flags] |= Http2Codes.END_HEADERS;
            return;
        }
        var rest = java.util.Arrays.copyOfRange(text.bytes, start + first, text.length);
        text.length = start + first;
        for (int at = 0; at < rest.length; at += mostBytes) {
            int part = Math.min(mostBytes, rest.length - at);
            boolean isLast = at + part == rest.length;
            header(part, Http2Codes.CONTINUATION, isLast ? Http2Codes.END_HEADERS : 0, id);
            text.put(rest, at, part);
        }
    }

    /// A part of a body, moved.
    void data(int id, LoopInput from, long length, boolean endsStream) {
        header((int) length, Http2Codes.DATA, endsStream ? Http2Codes.END_STREAM : 0, id);
        flush();
        output.move(from, length);
    }

    /// The head of a frame whose payload is put into the array that this returns.
    HpackBlock data(int id, int length, boolean endsStream) {
        header(length, Http2Codes.DATA, endsStream ? Http2Codes.END_STREAM : 0, id);
        return text;
    }

    void reset(int id, int code) {
        header(4, Http2Codes.RST_STREAM, 0, id);
        text.put32(code);
    }

    void window(int id, int more) {
        header(4, Http2Codes.WINDOW_UPDATE, 0, id);
        text.put32(more);
    }

    /// @param settings numbers and values, in turn
    void settings(int... settings) {
        header(3 * settings.length, Http2Codes.SETTINGS, 0, 0);
        for (int i = 0; i < settings.length; i += 2) {
            text.put16(settings[i]);
            text.put32(settings[i + 1]);
        }
    }

    void settingsTaken() {
        header(0, Http2Codes.SETTINGS, Http2Codes.ACK, 0);
    }

    void ping(long data, boolean isAnswer) {
        header(8, Http2Codes.PING, isAnswer ? Http2Codes.ACK : 0, 0);
        text.put32((int) (data >>> 32));
        text.put32((int) data);
    }

    void goAway(int lastId, int code) {
        header(8, Http2Codes.GOAWAY, 0, 0);
        text.put32(lastId);
        text.put32(code);
    }
}
