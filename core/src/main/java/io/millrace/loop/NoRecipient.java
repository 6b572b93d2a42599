package io.millrace.loop;

import io.millrace.bytes.Bytes;

/// What stands for a recipient without a connection: it is closed, so it never becomes a member.
public final class NoRecipient implements Recipient {
    public static final NoRecipient CLOSED = new NoRecipient();

    private final Memberships none = new Memberships();

    private NoRecipient() {}

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public Memberships memberships() {
        return none;
    }

    @Override
    public EventLoop eventLoop() {
        throw new IllegalStateException("there is no connection");
    }

    @Override
    public boolean isFull() {
        return true;
    }

    @Override
    public void deliver(Bytes frame, boolean isAhead) {}
}
