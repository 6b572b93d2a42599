package io.millrace.lab.peer.grizzly;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.glassfish.grizzly.WriteHandler;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainBuilder;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.filterchain.TransportFilter;
import org.glassfish.grizzly.nio.transport.TCPNIOTransportBuilder;
import org.glassfish.grizzly.strategies.SameThreadIOStrategy;
import org.glassfish.grizzly.strategies.WorkerThreadIOStrategy;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;

/// Grizzly: inline is its same-thread strategy, the pool its worker-thread strategy.
public final class GrizzlyEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, GrizzlyEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var builder = TCPNIOTransportBuilder.newInstance()
                .setProcessor(FilterChainBuilder.stateless()
                        .add(new TransportFilter())
                        .add(new Echo())
                        .build())
                .setSelectorRunnersCount(options.loops())
                .setIOStrategy(
                        options.isPooled() ? WorkerThreadIOStrategy.getInstance() : SameThreadIOStrategy.getInstance());
        if (options.isPooled()) {
            builder.setWorkerThreadPoolConfig(ThreadPoolConfig.defaultConfig()
                    .setCorePoolSize(options.poolThreads())
                    .setMaxPoolSize(options.poolThreads()));
        }
        var transport =
                builder.setTcpNoDelay(true).setServerConnectionBackLog(1024).build();
        var server = transport.bind(options.hostText(), options.port());
        transport.start();
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static final class Echo extends BaseFilter {
        @Override
        public NextAction handleRead(FilterChainContext context) {
            context.write(context.getMessage());
            if (context.getConnection().canWrite()) {
                return context.getStopAction();
            }
            // A suspended connection is not read.
            context.suspend();
            context.getConnection().notifyCanWrite(new Resume(context));
            return context.getSuspendAction();
        }

        @Override
        public void exceptionOccurred(FilterChainContext context, Throwable error) {
            context.getConnection().closeSilently();
        }
    }

    private record Resume(FilterChainContext context) implements WriteHandler {
        @Override
        public void onWritePossible() {
            context.resume(context.getStopAction());
        }

        @Override
        public void onError(Throwable reason) {
            context.getConnection().closeSilently();
            context.completeAndRecycle();
        }
    }
}
