package io.millrace.sim;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Handlers under watch: their calls must not overlap, and the last one is `onClose`, once. An assertion that
/// fails in a handler fails the simulation.
final class Watched implements HandlerFactory {
    private final HandlerFactory factory;

    /// How each connection ended: [#ORDERLY] or what it died of. In the order of their ends.
    final List<String> ends = new ArrayList<>();

    int opened;

    static final String ORDERLY = "orderly";

    private Watched(HandlerFactory factory) {
        this.factory = factory;
    }

    static Watched handlers(HandlerFactory factory) {
        return new Watched(factory);
    }

    /// Connections that were opened and not closed.
    int open() {
        return opened - ends.size();
    }

    @Override
    public Handler open(Connection conn) {
        opened++;
        var handler = factory.open(conn);
        return new Handler() {
            private boolean isBusy;
            private boolean isClosed;

            private void call(Call call) throws IOException {
                assert !isBusy : "calls overlap";
                assert !isClosed : "a call after onClose";
                isBusy = true;
                try {
                    call.run();
                } finally {
                    isBusy = false;
                }
            }

            private void callQuietly(Runnable call) {
                try {
                    call(call::run);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void onInput(Input in) throws IOException {
                call(() -> handler.onInput(in));
            }

            @Override
            public void onWritable() {
                callQuietly(handler::onWritable);
            }

            @Override
            public void onEnd(Connection conn) {
                callQuietly(() -> handler.onEnd(conn));
            }

            @Override
            public void onIdle(Connection conn) {
                callQuietly(() -> handler.onIdle(conn));
            }

            @Override
            public void onDrain(Connection conn) {
                callQuietly(() -> handler.onDrain(conn));
            }

            @Override
            public void onClose(@Nullable IOException cause) {
                callQuietly(() -> handler.onClose(cause));
                isClosed = true;
                ends.add(cause == null ? ORDERLY : cause.getClass().getSimpleName());
            }
        };
    }

    private interface Call {
        void run() throws IOException;
    }
}
