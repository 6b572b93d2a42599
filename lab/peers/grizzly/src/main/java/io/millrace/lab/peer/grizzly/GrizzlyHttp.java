package io.millrace.lab.peer.grizzly;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import org.glassfish.grizzly.ReadHandler;
import org.glassfish.grizzly.http.io.NIOInputStream;
import org.glassfish.grizzly.http.io.NIOOutputStream;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.RequestExecutorProvider;
import org.glassfish.grizzly.http.server.Response;
import org.glassfish.grizzly.http.util.Header;
import org.glassfish.grizzly.http.util.HttpDateFormat;
import org.glassfish.grizzly.http.util.HttpStatus;

/// Grizzly's HTTP server: the pool is its default, a request read by the selector's thread and handled by a worker;
/// inline handles it on the thread that read it.
public final class GrizzlyHttp {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, GrizzlyHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing) throws IOException {
        options.onlyOn("nio");
        var listener = new NetworkListener("http", options.hostText(), options.port());
        var transport = listener.getTransport();
        transport.setTcpNoDelay(true);
        transport.setServerConnectionBackLog(1024);
        transport.setSelectorRunnersCount(options.loops());
        if (options.isPooled()) {
            transport
                    .getWorkerThreadPoolConfig()
                    .setCorePoolSize(options.poolThreads())
                    .setMaxPoolSize(options.poolThreads());
        }
        // Otherwise it closes a connection after 256 requests.
        listener.getKeepAlive().setMaxRequestsCount(-1);
        var server = new HttpServer();
        server.addListener(listener);
        server.getServerConfiguration().addHttpHandler(new Answers(options.isPooled(), isClosing));
        server.start();
        return listener.getPort();
    }

    private static final class Answers extends HttpHandler {
        private static final byte[] HELLO = HttpPeer.hello();

        private final RequestExecutorProvider executors;
        private final boolean mayBlock;
        private final boolean isClosing;

        Answers(boolean isPooled, boolean isClosing) {
            this.executors = isPooled
                    ? new RequestExecutorProvider.WorkerThreadProvider()
                    : new RequestExecutorProvider.SameThreadProvider();
            this.mayBlock = isPooled;
            this.isClosing = isClosing;
        }

        @Override
        public RequestExecutorProvider getRequestExecutorProvider() {
            return executors;
        }

        @Override
        public void service(Request request, Response response) throws IOException {
            response.setHeader(Header.Server, "Grizzly");
            // It means to add this by itself, but only when it takes no more fields.
            response.setHeader(Header.Date, HttpDateFormat.getCurrentDate());
            if (isClosing) {
                response.setHeader(Header.Connection, "close");
            }
            switch (request.getRequestURI()) {
                case HttpPeer.PLAINTEXT -> plaintext(response);
                case HttpPeer.ECHO -> {
                    if (mayBlock) {
                        echo(request, response);
                    } else {
                        echoAsItComes(request, response);
                    }
                }
                default -> response.setStatus(HttpStatus.NOT_FOUND_404);
            }
        }

        private static void plaintext(Response response) throws IOException {
            response.setContentType("text/plain");
            send(response, HELLO);
        }

        private static void echo(Request request, Response response) throws IOException {
            send(response, request.getInputStream().readAllBytes());
        }

        private static void send(Response response, byte[] body) throws IOException {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }

        private static void echoAsItComes(Request request, Response response) {
            response.setContentLengthLong(request.getContentLengthLong());
            response.suspend();
            NIOInputStream in = request.getNIOInputStream();
            in.notifyAvailable(new Echo(in, response.getNIOOutputStream(), response));
        }
    }

    /// Passes a body on without waiting for the rest of it.
    private record Echo(NIOInputStream in, NIOOutputStream out, Response response) implements ReadHandler {
        @Override
        public void onDataAvailable() throws IOException {
            copy();
            in.notifyAvailable(this);
        }

        @Override
        public void onAllDataRead() throws IOException {
            copy();
            in.close();
            out.close();
            response.resume();
        }

        @Override
        public void onError(Throwable gone) {
            response.resume();
        }

        private void copy() throws IOException {
            if (in.isReady()) {
                out.write(in.readBuffer());
            }
        }
    }
}
