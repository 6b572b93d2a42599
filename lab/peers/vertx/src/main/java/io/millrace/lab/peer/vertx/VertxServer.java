package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.PeerOptions;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import java.util.function.IntFunction;

/// What both Vert.x peers have in common: a verticle per loop; with a pool as many worker verticles as the pool has
/// threads.
final class VertxServer {
    private VertxServer() {}

    /// Deploys verticles that each listen on the port they are given.
    static int start(PeerOptions options, IntFunction<Deployable> verticle) throws Exception {
        options.onlyOn("nio", "epoll", "io_uring");
        var vertx = Vertx.builder()
                .withTransport(transport(options.transport()))
                .with(new VertxOptions().setEventLoopPoolSize(options.loops()))
                .build();
        // Verticles share a server only when they name its port.
        int port = options.port() == 0 ? options.freePort() : options.port();
        vertx.deployVerticle(() -> verticle.apply(port), deployment(options)).await();
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
}
