package io.millrace.lab.load;

import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/// A load in a simulation: the production code, in virtual time.
final class SimulatedLoad {
    static final int PORT = 7;
    private static final Duration LONG = Duration.ofDays(1);

    private final Simulation network;
    private final RunningLoad load;

    SimulatedLoad(Simulation network, LoadSettings settings) {
        this(network, settings, new VirtualClock(network));
    }

    SimulatedLoad(Simulation network, LoadSettings settings, LoadClock clock) {
        this.network = network;
        this.load = RunningLoad.start(settings, network.loops(), clock);
    }

    static LoadSettings settings() {
        return LoadSettings.to(Simulation.address(PORT)).warmUp(Duration.ZERO);
    }

    LoadResult result() throws IOException {
        network.advance(LONG);
        var result = load.result().toCompletableFuture();
        if (!result.isDone()) throw new AssertionError("the load does not end");
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            throw e;
        }
    }

    /// @param then when all connections are open, on one of the loops
    SimulatedLoad whenBegun(Runnable then) {
        var _ = load.begun().thenRun(then);
        return this;
    }

    void stop() {
        load.stop();
    }

    /// The simulation's time, which passes for timers and the network only.
    static class VirtualClock implements LoadClock {
        private final Simulation network;

        VirtualClock(Simulation network) {
            this.network = network;
        }

        @Override
        public long nanos() {
            return network.now().toNanos();
        }

        @Override
        public long cpuNanos() {
            return 0;
        }

        @Override
        public boolean passesWhileSpinning() {
            return false;
        }
    }
}
