package io.millrace.lab.load;

import io.millrace.bytes.Bytes;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// What the lab tells a [LoadAgent] to do: a closed loop, a check, or connections to be held idle.
///
/// @param kind what to do
/// @param host  of the server
/// @param authority the file with the certificate to trust, in PEM, of servers over TLS; empty for those in the clear
/// @param exchange what to exchange with it
/// @param sizeBytes of a message, or of the body of a response
/// @param depth messages or requests in flight on each connection
/// @param warmUpSeconds before the measurement
/// @param seconds to measure, unless `messages` says how many
/// @param messages to measure, or 0; of connections to be held, those that each exchanges before, 0 or 1
/// @param verify whether each byte of an echo is compared; of responses status and length always are
/// @param patienceSeconds for a connection, and for messages that do not come back
public record LoadOrder(
        Kind kind,
        String host,
        int port,
        String authority,
        int connections,
        Exchange exchange,
        int sizeBytes,
        int depth,
        double warmUpSeconds,
        double seconds,
        long messages,
        boolean verify,
        double patienceSeconds) {
    private static final String CHAT = "/ws/chat";

    /// Of a broadcast.
    private static final int SENDERS = 4;

    private static final int SLOW_ONE_IN = 100;

    /// What an agent can do.
    public enum Kind {
        /// Send and measure; the answers are [LoadAnswer.Begun], [LoadAnswer.Second] and [LoadAnswer.Done].
        LOAD,
        /// Ask an HTTP server and look at all of its response; the answer is [LoadAnswer.Checked].
        CHECK,
        /// Open the connections, exchange one message on each or none, and keep them; the answer is [LoadAnswer.Held].
        HOLD,
        /// Close what is held; the answer is [LoadAnswer.Held] with those that the server had not closed.
        RELEASE
    }

    InetSocketAddress server() {
        return new InetSocketAddress(host, port);
    }

    /// The same with a number of messages instead of a time.
    public LoadOrder messages(long count) {
        return new LoadOrder(
                kind,
                host,
                port,
                authority,
                connections,
                exchange,
                sizeBytes,
                depth,
                warmUpSeconds,
                seconds,
                count,
                verify,
                patienceSeconds);
    }

    LoadSettings settings() {
        var timed = LoadSettings.to(server())
                .connections(connections)
                .depth(depth)
                .with(content())
                .warmUp(duration(warmUpSeconds))
                .duration(duration(seconds))
                .patience(duration(patienceSeconds));
        var counted = messages > 0 ? timed.messages(messages) : timed;
        return trusted().map(file -> counted.through(tls(file))).orElse(counted);
    }

    private TlsClient tls(Path trusted) {
        var client = Tls.client(host)
                .speaking(exchange.isHttp2() ? "h2" : "http/1.1")
                .trusting(TlsIdentity.certificates(trusted));
        return exchange == Exchange.HANDSHAKES ? client.withoutResumption() : client;
    }

    /// The certificate to trust; empty without TLS.
    Optional<Path> trusted() {
        return authority.isEmpty() ? Optional.empty() : Optional.of(Path.of(authority));
    }

    private LoadMessages content() {
        return switch (exchange) {
            case ECHO -> new EchoMessages(sizeBytes, verify);
            case REQUESTS -> requests();
            case VARIED_REQUESTS -> requests().numbered();
            case CLOSE, HANDSHAKES, RESUMED -> requests().closing();
            case PAGES -> requests(Page.target(sizeBytes));
            case STREAMS -> requests().overHttp2(scheme());
            case STREAMED_PAGES -> requests(Page.target(sizeBytes)).overHttp2(scheme());
            case WS_ECHO -> new WsMessages(WsHandshake.of(hostField(), "/ws"), sizeBytes);
            case BROADCAST -> toAll(WsHandshake.of(hostField(), CHAT), 0);
            case SLOW_BROADCAST -> toAll(WsHandshake.of(hostField(), CHAT), SLOW_ONE_IN);
            case PACKED_BROADCAST -> toAll(WsHandshake.of(hostField(), CHAT).packed(), 0);
            case BODIES -> requests(EchoCheck.TARGET).method("POST").body(Bytes.of(EchoCheck.body(sizeBytes)));
        };
    }

    private FanOutMessages toAll(WsHandshake handshake, int slowOneIn) {
        int senders = Math.min(SENDERS, connections);
        return new FanOutMessages(handshake, sizeBytes, senders, slowOneIn, verify);
    }

    private String hostField() {
        return Judge.authority(server());
    }

    private String scheme() {
        return authority.isEmpty() ? "http" : "https";
    }

    private HttpMessages requests() {
        return requests(PlaintextCheck.TARGET);
    }

    private HttpMessages requests(String target) {
        return HttpMessages.get(hostField(), target).expectingStatus(200).expectingLength(sizeBytes);
    }

    Duration patience() {
        return duration(patienceSeconds);
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
