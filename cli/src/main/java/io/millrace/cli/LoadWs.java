package io.millrace.cli;

import io.millrace.lab.load.FanOutMessages;
import io.millrace.lab.load.LoadMessages;
import io.millrace.lab.load.WsHandshake;
import io.millrace.lab.load.WsMessages;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `millrace load ws`: messages over WebSockets, to a server that sends each back, or to all.
@Command(
        name = "ws",
        description = "Send messages of text over WebSockets, to a server that sends each back, and compare them; or,"
                + " with --senders, to a server that sends each to all connections, and measure each that arrives.")
final class LoadWs extends Subcommand {
    @Parameters(
            paramLabel = "URL",
            converter = HttpUrl.ToWebSocket.class,
            description = "The URL: ws://HOST[:PORT][/PATH][?QUERY], or wss://….")
    @SuppressWarnings("NullAway.Init")
    private HttpUrl url;

    @Option(
            names = "--senders",
            paramLabel = "N",
            converter = ToSenders.class,
            description = "Fan-out: so many of the connections send, and each message is to arrive at all of them, its"
                    + " sender's too. Without --rate the next one is sent when it has.")
    private Optional<Integer> senders = Optional.empty();

    @Option(names = "--header", paramLabel = "'NAME: VALUE'", description = "A request field; may be repeated.")
    private List<String> headers = List.of();

    @Option(
            names = "--http2",
            description = "Over HTTP/2, each WebSocket on a connection of its own: with wss agreed on (ALPN), with ws"
                    + " by prior knowledge.")
    private boolean isHttp2;

    @Mixin
    private final LoadOptions options = new LoadOptions();

    @Mixin
    private final MessageOptions messages = new MessageOptions();

    @Mixin
    private final LoadTls tls = new LoadTls();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var stage = tls.stage(url, isHttp2 ? "h2" : "http/1.1");
        var words = senders.isPresent() ? LoadDisplay.LoadWords.DELIVERIES : LoadDisplay.LoadWords.MESSAGES;
        var content = content();
        int code = tls.trusting(() -> options.run(url.server(), content, stage, messages.count(), words));
        tls.tell(out());
        return code;
    }

    private LoadMessages content() {
        try {
            var handshake = handshake();
            if (senders.isEmpty()) return new WsMessages(handshake, messages.sizeBytes());
            if (senders.get() > options.connections())
                throw wrong("--senders " + senders.get() + " of --connections " + options.connections()
                        + ": take at most as many");
            return new FanOutMessages(handshake, messages.sizeBytes(), senders.get(), 0, true);
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private WsHandshake handshake() {
        var handshake = WsHandshake.of(url.host(), url.target());
        for (var header : headers) {
            var field = RequestField.parse(header);
            handshake = handshake.header(field.name(), field.value());
        }
        return isHttp2 ? handshake.overHttp2(url.isSecure() ? "https" : "http") : handshake;
    }

    private static final class ToSenders extends CountOption {
        ToSenders() {
            super(1, FanOutMessages.MOST_SENDERS);
        }
    }
}
