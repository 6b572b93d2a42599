package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.transport.Transport;

/// Vert.x: a verticle per loop; with a pool as many worker verticles as the pool has threads.
public final class VertxEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VertxEcho::start);
    }

    private static int start(PeerOptions options) throws Exception {
        options.onlyOn("nio", "epoll", "io_uring");
        var vertx = Vertx.builder()
                .withTransport(transport(options.transport()))
                .with(new VertxOptions().setEventLoopPoolSize(options.loops()))
                .build();
        // Verticles share a server only when they name its port.
        int port = options.port() == 0 ? options.freePort() : options.port();
        vertx.deployVerticle(() -> new Echo(options.hostText(), port), deployment(options))
                .await();
        return port;
    }

    private static DeploymentOptions deployment(PeerOptions options) {
        if (!options.isPooled()) {
            return new DeploymentOptions().setInstances(options.loops());
        }
        return new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setInstances(options.poolThreads())
                .setWorkerPoolName("handlers")
                .setWorkerPoolSize(options.poolThreads());
    }

    private static Transport transport(String name) {
        return switch (name) {
            case "epoll" -> Transport.EPOLL;
            case "io_uring" -> Transport.IO_URING;
            default -> Transport.NIO;
        };
    }

    private static final class Echo extends VerticleBase {
        private final String host;
        private final int port;

        Echo(String host, int port) {
            this.host = host;
            this.port = port;
        }

        @Override
        public Future<?> start() {
            return vertx.createNetServer(
                            new NetServerOptions().setTcpNoDelay(true).setAcceptBacklog(1024))
                    .connectHandler(Echo::echo)
                    .listen(port, host);
        }

        private static void echo(NetSocket socket) {
            socket.handler(message -> {
                socket.write(message);
                if (socket.writeQueueFull()) {
                    socket.pause();
                    socket.drainHandler(drained -> socket.resume());
                }
            });
        }
    }
}
