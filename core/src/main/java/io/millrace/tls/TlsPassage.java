package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.Wording;
import io.millrace.net.Loop;
import io.millrace.net.Security;
import io.millrace.net.Stage;
import io.millrace.net.TimedOut;
import io.millrace.net.TlsError;
import io.millrace.tls.ClientHello.BadHello;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Passes TLS through undecrypted: the handler gets every byte that came. The handler is made when the client's
/// first message is there, and [Security#serverName] is the server name that it asks for.
///
/// ```java
/// Tcp.listen(Listen.on(443).through(Tls.passing()), client -> byName(client.security()).open(client));
/// ```
/// A client that does not speak TLS gets an alert and is closed (`tls.hello`), as is one that takes longer than 10
/// s (`tls.timeout`). Any thread.
public final class TlsPassage implements Stage {
    private static final int DECODE_ERROR = 50;

    private final Duration limit;

    TlsPassage(Duration limit) {
        this.limit = limit;
    }

    /// How long the first message may take; by default 10 s.
    ///
    /// @throws IllegalArgumentException unless it is more than zero
    public TlsPassage within(Duration limit) {
        return new TlsPassage(TlsServer.positive(limit));
    }

    @Override
    public Link open(Context context) {
        return new Passing(context, limit);
    }

    private static final class Passing implements Link {
        private final Context context;
        private final Loop.Timer deadline;
        private HelloReader reader = HelloReader.keeping();

        private Optional<Security> security = Optional.empty();
        private boolean isDead;

        Passing(Context context, Duration limit) {
            this.context = context;
            this.deadline = context.connection().loop().after(limit, () -> tookTooLong(limit));
        }

        private void tookTooLong(Duration limit) {
            if (isReady() || isDead) return;
            var detail = "no ClientHello within " + Wording.of(limit) + " (tls.timeout)";
            CoreGuards.TLS_TIMEOUT.acted(context.connection().remote(), detail);
            isDead = true;
            context.fail(new TimedOut(detail));
        }

        @Override
        public boolean isReady() {
            return security.isPresent();
        }

        @Override
        public Optional<Security> security() {
            return security;
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            if (isDead) in.skip(in.remaining());
            else if (isReady() || isBegun(in, app, wire)) app.move(in);
        }

        private boolean isBegun(Input in, Output app, Output wire) {
            try {
                if (!reader.read(in)) return false;
                var name = reader.hello().serverName();
                security = Optional.of(new Security("TLS", "", name, Optional.empty(), List.of()));
                deadline.cancel();
                reader.records(app);
                // Its bytes are no longer needed.
                reader = new HelloReader(0);
                return true;
            } catch (BadHello e) {
                refuse(String.valueOf(e.getMessage()), wire);
                in.skip(in.remaining());
                return false;
            }
        }

        private void refuse(String why, Output wire) {
            isDead = true;
            deadline.cancel();
            var remote = context.connection().remote();
            CoreGuards.TLS_HELLO.acted(remote, why);
            var alert = Records.alert(DECODE_ERROR);
            wire.write(alert, 0, alert.length);
            context.close(new TlsError(Wording.of(remote) + ": " + why));
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }

        @Override
        public boolean isDone() {
            return isReady();
        }

        @Override
        public void closed() {
            isDead = true;
            deadline.cancel();
        }
    }
}
