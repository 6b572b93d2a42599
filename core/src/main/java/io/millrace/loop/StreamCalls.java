package io.millrace.loop;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Where user code is called for the streams of a connection: where the connection's server calls its handlers.
public final class StreamCalls {
    private static final StreamCalls ON_LOOP = new StreamCalls(null, new Standing(Standing.STANDARD_NEEDED));

    private final @Nullable Consumer<LentCall> workers;
    private final Standing standing;

    private StreamCalls(@Nullable Consumer<LentCall> workers, Standing standing) {
        this.workers = workers;
        this.standing = standing;
    }

    /// As the connection's handler is called now; ask before another one takes over. On its loop.
    public static StreamCalls of(TcpConnection connection) {
        return connection.style() instanceof DispatchedStyle dispatched ? dispatched.forStreams() : ON_LOOP;
    }

    /// On the loop, as a client's are.
    public static StreamCalls onLoop() {
        return ON_LOOP;
    }

    static StreamCalls dispatched(Consumer<LentCall> workers, Standing standing) {
        return new StreamCalls(workers, standing);
    }

    /// Whether the calls are made on the loop, where they must not block.
    public boolean areOnLoop() {
        return workers == null;
    }

    Standing standing() {
        return standing;
    }

    void make(LentCall call) {
        if (workers == null) throw new IllegalStateException("calls on the loop are not lent");
        workers.accept(call);
    }
}
