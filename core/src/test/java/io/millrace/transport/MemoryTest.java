package io.millrace.transport;

import io.millrace.memory.SlabPool;
import io.millrace.sim.network.Luck;
import io.millrace.sim.network.Memory;
import io.millrace.sim.network.MemoryNetwork;
import io.millrace.sim.network.NetworkConditions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/// The transport in memory, whose polls move the network's time.
class MemoryTest extends TransportContract {
    private static final int SEED = Integer.getInteger("x.seed", 1);
    private final MemoryNetwork network = new MemoryNetwork(new Luck(SEED), conditions());

    private static NetworkConditions conditions() {
        var conditions = NetworkConditions.shaken(new Luck(SEED));
        conditions.delays(0, 300_000);
        conditions.chunks(16 << 10, 64 << 10);
        conditions.buffers(64 << 10, 128 << 10);
        conditions.partialWrites(0);
        return conditions;
    }

    @Override
    Transport open(SlabPool pool) {
        return new Memory(pool, network);
    }

    @Override
    SocketAddress refusingAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    }
}
