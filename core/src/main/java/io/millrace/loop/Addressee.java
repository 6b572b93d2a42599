package io.millrace.loop;

/// A recipient of messages of one type: what a [io.millrace.codec.GroupMember] is inside.
public interface Addressee<M> {
    Recipient recipient();

    Encoding<M> encoding();
}
