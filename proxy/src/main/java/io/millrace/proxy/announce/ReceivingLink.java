package io.millrace.proxy.announce;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Loop;
import io.millrace.net.ProtocolError;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import io.millrace.proxy.announce.HeaderReader.Announcement;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A connection that has to begin with a header: its handler is made when the header is complete.
public final class ReceivingLink implements Stage.Link {
    private final Stage.Context context;
    private final HeaderReader reader;
    private final Loop.Timer deadline;
    private @Nullable Announcement announced;

    public ReceivingLink(Stage.Context context, HeaderReader reader, Duration timeout) {
        this.context = context;
        this.reader = reader;
        this.deadline = context.connection().loop().after(timeout, () -> tookTooLong(timeout));
    }

    private void tookTooLong(Duration timeout) {
        if (announced != null) return;
        var detail = "no PROXY protocol header within " + timeout.toMillis() + " ms";
        ProxyGuards.PROXY_HEADER_TIMEOUT.acted(context.connection().remote(), detail);
        context.fail(new TimedOut(detail));
    }

    @Override
    public void receive(Input in, Output app, Output wire) throws ProtocolError {
        if (announced == null && !hasRead(in)) return;
        app.move(in);
    }

    private boolean hasRead(Input in) throws ProtocolError {
        try {
            var read = reader.read(in);
            if (read.isEmpty()) return false;
            announced = read.get();
            deadline.cancel();
            return true;
        } catch (ProtocolError e) {
            deadline.cancel();
            ProxyGuards.PROXY_HEADER.acted(context.connection().remote(), String.valueOf(e.getMessage()));
            throw e;
        }
    }

    @Override
    public void send(Input in, Output wire) {
        wire.move(in);
    }

    /// Load balancers check a port by connecting without sending anything, so this needs no warning.
    @Override
    public void closed() {
        deadline.cancel();
    }

    @Override
    public boolean isReady() {
        return announced != null;
    }

    @Override
    public boolean isDone() {
        return isReady();
    }

    @Override
    public Optional<SocketAddress> remote() {
        return announced == null ? Optional.empty() : announced.source();
    }

    @Override
    public Optional<SocketAddress> local() {
        return announced == null ? Optional.empty() : announced.destination();
    }

    /// Passes bytes unchanged, after a beginning of its own.
    ///
    /// @param beginning sent first
    public record PassingLink(Bytes beginning) implements Stage.Link {
        @Override
        public void open(Output wire) {
            wire.write(beginning);
        }

        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            app.move(in);
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }
    }
}
