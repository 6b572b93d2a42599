package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.codec.GroupMember;
import io.millrace.loop.Addressee;
import io.millrace.loop.Encoding;
import io.millrace.loop.Recipient;

/// A socket as a member of a group of bytes.
record BinaryMember(SocketEnd end) implements GroupMember<Bytes>, Addressee<Bytes> {
    @Override
    public Recipient recipient() {
        return end;
    }

    @Override
    public Encoding<Bytes> encoding() {
        return end.binaryFrames();
    }
}
