package io.millrace.http.overload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.EventLoops;
import io.millrace.Guards;
import io.millrace.Listen;
import io.millrace.TransportKind;
import io.millrace.bytes.Output;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.net.Stage;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;

/// A server for a process of its own. It writes its port, that of the same over TLS, and then for each line it reads
/// how often the guard of
/// that name has acted; at the end of its input it closes.
final class AttackedServer implements HttpHandler {
    private static final Response PAGE = Response.ok("hello");
    private static final byte[] PATTERN = new byte[4096];
    private static final int MOST_WHOLE = 1 << 20;

    /// The arguments are a [TransportKind], and milliseconds for a head and for a response to be taken; a handshake of
    /// TLS has 3 s more.
    public static void main(String[] arguments) throws IOException {
        var patience = Duration.ofMillis(Long.parseLong(arguments[1]));
        var settings = HttpSettings.standard().limits(HttpLimits.standard().headTimeout(patience));
        var kind = TransportKind.valueOf(arguments[0]);
        try (var loops = EventLoops.configure().transport(kind).threads(1).start();
                var server = Http.listen(listen(kind, patience).loops(loops), settings, new AttackedServer());
                var secure = Http.listen(
                        listen(kind, patience).loops(loops).through(tls(patience)), settings, new AttackedServer());
                var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            System.out.println(server.port());
            System.out.println(secure.port());
            for (String line; (line = in.readLine()) != null; ) {
                System.out.println(Guards.count(line));
            }
        }
    }

    private static Stage tls(Duration patience) {
        // Its first handshakes take their time, also those of the honest.
        return Tls.server(TlsIdentity.selfSigned("localhost")).within(patience.plusSeconds(3));
    }

    /// The JDK's sockets cannot say how much the kernel may hold of what a peer does not take, but for the whole of
    /// its buffer; the other transports do.
    private static Listen listen(TransportKind kind, Duration patience) {
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .writeTimeout(patience);
        return kind == TransportKind.NIO ? listen.option(StandardSocketOptions.SO_SNDBUF, 32 << 10) : listen;
    }

    private final HttpHandler whole = Http.whole(MOST_WHOLE, _ -> PAGE);

    @Override
    public Response handle(Request request) throws Exception {
        return switch (request.path()) {
            case "/whole" -> whole.handle(request);
            case "/echo" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/large" -> Response.stream(200, AttackedServer::writeSome);
            default -> PAGE;
        };
    }

    private static boolean writeSome(Output out) {
        out.write(PATTERN, 0, PATTERN.length);
        return true;
    }
}
