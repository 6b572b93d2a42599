package io.millrace.http.message;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// A part of a file as the body of a response, read bit by bit as the peer takes it. Owns the channel, and closes
/// it when it is told that it is over.
final class FileBody implements BodyWriter {
    /// In bytes, of one call: as much as a large slab takes.
    static final int MOST = 64 << 10;

    private final Path path;
    private final FileChannel channel;
    private final long begin;
    private final long end;
    private long position;

    FileBody(Path path, FileChannel channel, long from, long length) {
        this.path = path;
        this.channel = channel;
        this.position = from;
        this.begin = from;
        this.end = from + length;
    }

    /// The next bytes of the file, [#MOST] at most.
    ///
    /// @throws EOFException when the file has become shorter, because its length was promised to the peer
    @Override
    public boolean write(Output out) throws IOException {
        if (position == end) return false;
        if (position == begin && begin > 0) channel.position(begin);
        int count = out.write(channel, (int) Math.min(MOST, end - position));
        if (count <= 0) {
            throw new EOFException(path + " ends at " + position + " of " + end
                    + " bytes while it is sent: put a new file in its place instead of cutting it");
        }
        position += count;
        return position < end;
    }

    @Override
    public void onClose() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was written to it that could be lost.
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }
}
