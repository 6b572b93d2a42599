package io.millrace.http.memory;

import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.Connection;

/// A request of the in-memory version. Its head is reused for the next one, unless it was kept.
final class MemoryRequest extends ReceivedRequest {
    private final Headers headers;
    private final long bodyLength;
    private boolean isKept;
    private boolean isOver;

    private Runnable wake = () -> {};

    MemoryRequest(Connection connection, String method, String target, Headers headers, long bodyLength) {
        super(connection, method, Target.parse(target));
        this.headers = headers;
        this.bodyLength = bodyLength;
    }

    boolean isKept() {
        return isKept;
    }

    @Override
    public Headers headers() {
        checkNotOver();
        return headers;
    }

    @Override
    public long bodyLength() {
        return bodyLength;
    }

    @Override
    public boolean isOld() {
        return false;
    }

    @Override
    public void keep() {
        isKept = true;
    }

    void carriedBy(ServerStream stream) {
        wake = stream::wake;
    }

    @Override
    public Headers keptHeaders() {
        keep();
        return headers();
    }

    @Override
    public void wake() {
        wake.run();
    }

    @Override
    protected void checkNotOver() {
        if (isOver) throw new IllegalStateException("the exchange of this request is over");
    }

    @Override
    public void expire() {
        isOver = true;
        super.expire();
    }
}
