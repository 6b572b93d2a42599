package io.millrace.cli;

import io.millrace.bytes.Bytes;
import io.millrace.lab.load.HttpMessages;
import io.millrace.lab.load.LoadMessages;
import io.millrace.lab.load.LoadSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `millrace load http`: requests to an HTTP server.
@Command(
        name = "http",
        description = "Send requests to an HTTP server, and check the status and the length of each response.")
final class LoadHttp extends Subcommand {
    @Parameters(
            paramLabel = "URL",
            converter = HttpUrl.Converter.class,
            description = "The URL to request: http://HOST[:PORT][/PATH][?QUERY], or https://….")
    @SuppressWarnings("NullAway.Init")
    private HttpUrl url;

    @Option(
            names = "--requests",
            paramLabel = "N",
            converter = LoadOptions.ToCount.class,
            description = "Requests to measure, instead of --seconds.")
    private Optional<Integer> requests = Optional.empty();

    @Option(names = "--method", paramLabel = "NAME", description = "By default GET, or POST when there is a body.")
    private Optional<String> method = Optional.empty();

    @Option(names = "--header", paramLabel = "'NAME: VALUE'", description = "A request field; may be repeated.")
    private List<String> headers = List.of();

    private static final class Content {
        @Option(names = "--body", paramLabel = "TEXT", description = "Send this text as each request's body, in UTF-8.")
        private Optional<String> text = Optional.empty();

        @Option(names = "--body-file", paramLabel = "FILE", description = "Send this file as each request's body.")
        private Optional<Path> file = Optional.empty();
    }

    @ArgGroup
    private Content content = new Content();

    @Option(
            names = "--status",
            paramLabel = "CODE",
            converter = ToStatus.class,
            description = "The expected status; by default any from 200 to 299.")
    private int status = HttpMessages.ANY_SUCCESS;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            converter = ToLength.class,
            description = "The expected length of a body, or any; by default the first one's.")
    private long length = HttpMessages.AS_THE_FIRST;

    @Option(names = "--close", description = "Make a new connection for each request.")
    private boolean isClosing;

    @Option(names = "--http2", description = "Speak HTTP/2: with https agreed on (ALPN), with http by prior knowledge.")
    private boolean isHttp2;

    @Option(
            names = "--streams",
            paramLabel = "N",
            converter = LoadOptions.ToDepth.class,
            description =
                    "With --http2: how many requests are in flight on each connection, as far as the server allows"
                            + " (default: 1; with --rate at most, by default 1000).")
    private Optional<Integer> streams = Optional.empty();

    @Mixin
    private final LoadTls tls = new LoadTls();

    @Mixin
    private final LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isClosing && options.hasDepth()) {
            throw wrong("--close sends one request on each connection: leave --depth out");
        }
        checkVersion();
        var stage = tls.stage(url, isHttp2 ? "h2" : "http/1.1");
        var content = content();
        int code =
                tls.trusting(() -> options.run(url.server(), content, stage, requests, LoadDisplay.LoadWords.REQUESTS));
        tls.tell(out());
        return code;
    }

    private void checkVersion() {
        if (streams.isPresent() && !isHttp2)
            throw wrong("--streams is for HTTP/2: add --http2, or use --depth for HTTP/1.1");
        if (!isHttp2) return;
        if (options.hasDepth()) throw wrong("--depth is for HTTP/1.1: with --http2 use --streams");
        if (isClosing)
            throw wrong("--close is for HTTP/1.1, whose responses may end their connection: leave it or --http2 out");
        streams.ifPresent(options::depth);
    }

    private LoadMessages content() throws IOException {
        var messages = messages();
        if (!isHttp2) return messages;
        try {
            return messages.overHttp2(url.isSecure() ? "https" : "http");
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private HttpMessages messages() throws IOException {
        var body = body();
        try {
            var messages = HttpMessages.get(url.host(), url.target())
                    .method(method.orElse(body.length() > 0 ? "POST" : "GET"))
                    .body(body)
                    .expectingStatus(status)
                    .expectingLength(length);
            for (var header : headers) {
                var field = RequestField.parse(header);
                messages = messages.header(field.name(), field.value());
            }
            return isClosing ? messages.closing() : messages;
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private Bytes body() throws IOException {
        if (content.file.isEmpty()) return Bytes.utf8(content.text.orElse(""));
        var file = content.file.get();
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw wrong("--body-file " + file + " cannot be read: name a file that exists");
        }
        if (Files.size(file) > LoadSettings.MAX_SIZE_BYTES) {
            throw wrong("--body-file " + file + " is longer than " + LoadSettings.MAX_SIZE_BYTES + " bytes");
        }
        return Bytes.of(Files.readAllBytes(file));
    }

    private static final class ToStatus extends CountOption {
        ToStatus() {
            super(200, 599);
        }
    }

    private static final class ToLength implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return text.equals("any") ? HttpMessages.ANY_LENGTH : CountOption.parse(text, 0, Integer.MAX_VALUE);
        }
    }
}
