package io.millrace.sim;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.loop.ConnectionSettings;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import io.millrace.sim.network.Luck;
import io.millrace.sim.network.MemoryNetwork;
import io.millrace.sim.network.NetworkConditions;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// A network in memory for tests: the production event loops, connections, handlers and sessions run on it
/// unchanged, in virtual time, and all random choices come from one seed. The same seed gives the same run,
/// byte for byte.
///
/// ```java
/// try (var network = new Simulation(42)) {
///     network.listen(7, conn -> in -> conn.output().move(in));
///     Peer peer = network.connect(7).send("hello").end();
///     network.run();
///     assertEquals("hello", peer.received());
/// }                                             // a leaked slab fails here
/// ```
/// By default it varies what any network may do: delays, chunks down to one byte, partial writes, small socket
/// buffers, slow loops and threads; each seed in its own way. Resets, refusals, silence and faults happen only
/// when asked for, from that moment on. [SimulationSettings] are what it is made with. [#forEachSeed] runs a
/// test with many seeds and tells how to repeat the one that failed. Each simulation begins at midnight of 1 January
/// 2000, UTC, so that a response's `Date` is the same in each run, too.
///
/// Nothing runs by itself: [#run] and [#advance] run it, one step at a time, on the simulation's own thread,
/// while the caller waits; so do a client's blocking calls (`Tcp.connect(network.to(7))` and what follows),
/// until they have what they wait for. Code in the simulation must not sleep, wait with a timeout or wait for
/// threads from outside; a wake-up from such a thread fails the simulation. One thread at a time may use a
/// simulation.
public final class Simulation implements AutoCloseable {
    static {
        CoreAccess.open();
    }

    private static final ListenOptions PEERS = new ListenOptions(4096, false, false, SocketOptions.NONE);

    private final long seed;
    private final Luck luck;
    private final MemoryNetwork network;
    private final World world;
    private final EventLoops loops;

    /// A test with some seeds.
    @FunctionalInterface
    public interface Scenario {
        /// Runs with a new simulation, which is closed afterwards.
        void run(Simulation network) throws Exception;
    }

    /// A simulation of this seed.
    public Simulation(long seed) {
        this(seed, SimulationSettings.standard());
    }

    /// A simulation of this seed, with the given settings.
    public Simulation(long seed, SimulationSettings settings) {
        this(seed, settings, "replay with new Simulation(" + seed + "L)");
    }

    Simulation(long seed, SimulationSettings settings, String replay) {
        this.seed = seed;
        this.luck = new Luck(seed);
        int threads = (int) luck.between(settings.leastThreads(), settings.mostThreads());
        boolean carries = settings.carriers() == 1 || luck.chance(settings.carriers());
        this.network = new MemoryNetwork(luck.split(), NetworkConditions.shaken(luck.split()));
        this.world = new World(network, luck.split(), carries, replay);
        this.loops = new EventLoops(new SimulatedLoops(world, threads, settings.memory()));
    }

    /// Runs a scenario with the seeds 1 to `count`, 1 or more, and stops at the first that fails, with an error
    /// that names it and the line that repeats it. `-Dmillrace.seed=17` runs only that seed,
    /// `-Dmillrace.seeds=100000` that many, `-Dmillrace.seeds=8x` eight times as many, `-Dmillrace.seeds=0.5x` half
    /// of them, and `-Dmillrace.seeds.first=5000` begins with that one.
    public static void forEachSeed(int count, Scenario scenario) {
        Seeds.run(count, SimulationSettings.standard(), scenario);
    }

    /// Runs a scenario with many seeds and the given settings.
    public static void forEachSeed(int count, SimulationSettings settings, Scenario scenario) {
        Seeds.run(count, settings, scenario);
    }

    // What the network does, from now on.

    /// How long each chunk travels, at least a microsecond.
    public Simulation delays(Duration min, Duration max) {
        network.conditions().delays(ConnectionSettings.nanos(min, "a delay"), ConnectionSettings.nanos(max, "a delay"));
        return this;
    }

    /// How many bytes travel together, 1 or more.
    public Simulation chunks(int minBytes, int maxBytes) {
        network.conditions().chunks(minBytes, maxBytes);
        return this;
    }

    /// How many bytes a socket buffers in each direction, 1 or more.
    public Simulation buffers(int minBytes, int maxBytes) {
        network.conditions().buffers(minBytes, maxBytes);
        return this;
    }

    /// How fast each direction of a connection is, in bytes per second; by default without limit.
    public Simulation bandwidth(long bytesPerSecond) {
        network.conditions().bandwidth(bytesPerSecond);
        return this;
    }

    /// How often, from 0 to 1, a socket takes less than it has room for.
    public Simulation partialWrites(double probability) {
        network.conditions().partialWrites(probability);
        return this;
    }

    /// What share of connections, from 0 to 1, is reset, each at a random point of its transfer.
    public Simulation resets(double probability) {
        network.conditions().resets(probability);
        return this;
    }

    /// What share of attempts to connect, from 0 to 1, is refused.
    public Simulation refusals(double probability) {
        network.conditions().refusals(probability);
        return this;
    }

    /// What share of attempts to connect, from 0 to 1, gets no answer.
    public Simulation silences(double probability) {
        network.conditions().silences(probability);
        return this;
    }

    /// Bytes travel one at a time, so that each read gets one.
    public Simulation oneByteAtATime() {
        return chunks(1, 1);
    }

    // Faults by name. Each lasts until [#heal].

    /// Connections that open from now on are lost when either end has sent that many bytes, 0 or more: both
    /// ends are reset, and the other one has received at most that many, because a reset may overtake unread
    /// bytes.
    public Simulation cutAfter(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a cut after " + bytes + " bytes: give it 0 or more");
        network.cutAfter(bytes);
        return this;
    }

    /// Refuses connections to this port, even if a server listens there. Open connections stay open.
    public Simulation refuse(int port) {
        network.refuse(port);
        return this;
    }

    /// Cuts a port off: nothing arrives there or comes from there, and attempts to connect get no answer. What
    /// is sent meanwhile waits, as TCP repeats it, and arrives when the network heals.
    public Simulation partition(int port) {
        network.partition(port);
        return this;
    }

    /// Ends the effect of [#cutAfter], [#refuse] and [#partition] for connections that open from now on. Those
    /// that were cut off go on.
    public Simulation heal() {
        network.heal();
        return this;
    }

    // What it runs.

    /// The event loops, for [Listen#loops], [Connect#loops] and everything else that needs some.
    public EventLoops loops() {
        return loops;
    }

    /// Serves in callback style, as [Tcp#listen] does.
    public Server listen(int port, HandlerFactory factory) {
        return Tcp.listen(on(port), factory);
    }

    /// Serves in direct style, as [Tcp#serve] does.
    public Server serve(int port, Session session) {
        return Tcp.serve(on(port), session);
    }

    /// A port of this network, to listen on with more options:
    /// `Tcp.listen(network.on(7).maxConnections(2), …)`.
    public Listen on(int port) {
        return Listen.on(address(port)).loops(loops());
    }

    /// A port of this network, to connect to: `Tcp.connect(network.to(7), …)`.
    public Connect to(int port) {
        return Connect.to(address(port)).loops(loops());
    }

    /// The address of a port of this network. It has every other address, too.
    public static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// A peer that connects to a port.
    public Peer connect(int port) {
        return connect(address(port));
    }

    /// A peer that connects to an address.
    public Peer connect(SocketAddress to) {
        try {
            return new Peer(world, network.connect(to));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /// Listens with peers: each connection to this port becomes one, and `script` scripts it.
    ///
    /// @throws UncheckedIOException when the port is taken
    public Simulation answer(int port, Consumer<Peer> script) {
        try {
            var listener = network.listen(address(port), PEERS);
            listener.watch(() -> world.soon(() -> {
                var accepted = listener.accept();
                if (accepted != null) script.accept(new Peer(world, accepted));
            }));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return this;
    }

    // How it runs.

    /// Runs until nothing is on its way and no code has anything to do. Time passes as far as the network needs
    /// it; [#advance] lets timers expire.
    public void run() {
        world.runUntilQuiet();
    }

    /// Runs for a while of virtual time, timers included.
    public void advance(Duration time) {
        world.runUntil(network.nowNanos() + ConnectionSettings.nanos(time, "a time"), () -> false);
    }

    /// The virtual time since the simulation began.
    public Duration now() {
        return Duration.ofNanos(network.nowNanos());
    }

    /// The seed of everything.
    public long seed() {
        return seed;
    }

    /// A random number from 0 inclusive to `bound` exclusive, from the seed, for a scenario's own choices.
    public int random(int bound) {
        return luck.below(bound);
    }

    /// So many random bytes, from the seed.
    public byte[] randomBytes(int count) {
        var bytes = new byte[count];
        luck.fill(bytes);
        return bytes;
    }

    /// A hash of everything that has happened: the same in each run of a seed, and another if anything was
    /// different.
    public long fingerprint() {
        return network.trace().fingerprint();
    }

    /// The last few hundred events, as text.
    public List<String> trace() {
        return network.trace().last();
    }

    String lastEvents() {
        return "\nlast events:\n  " + String.join("\n  ", trace());
    }

    /// Closes every connection and the loops.
    ///
    /// @throws AssertionError when memory is missing or a session still runs, with the line that repeats it
    @Override
    public void close() {
        loops.close();
    }
}
