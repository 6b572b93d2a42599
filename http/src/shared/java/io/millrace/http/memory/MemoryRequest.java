package io.millrace.http.memory;

import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.net.Connection;
import java.util.List;
import java.util.Optional;

/// A request of the version that is in memory. Its head serves the next one, too, unless it was kept.
final class MemoryRequest extends ReceivedRequest {
    private final String method;
    private final String path;
    private final String query;
    private final Headers headers;
    private final long bodyLength;
    private boolean isKept;
    private boolean isOver;

    private Runnable wake = () -> {};

    MemoryRequest(Connection connection, String method, String target, Headers headers, long bodyLength) {
        super(connection);
        this.method = method;
        int mark = target.indexOf('?');
        this.path = mark < 0 ? target : target.substring(0, mark);
        this.query = mark < 0 ? "" : target.substring(mark + 1);
        this.headers = headers;
        this.bodyLength = bodyLength;
    }

    boolean isKept() {
        return isKept;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String query() {
        return query;
    }

    @Override
    public Optional<String> header(String name) {
        return headers().first(name);
    }

    @Override
    public List<String> headers(String name) {
        return headers().all(name);
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
    public String sentPath() {
        return path;
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
