package io.millrace.lab.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The network between the load and the servers: the loopback, or two network namespaces joined by a shaped
/// link (ip-netns(8), veth(4), tc-tbf(8)). A network that is still open when the JVM ends is removed then.
public final class TestNetwork implements AutoCloseable {
    private static final Path NAMESPACES = Path.of("/run/netns");
    /// An address in a private namespace, so that two labs may use the same.
    private static final String SERVER_HOST = "10.213.0.1";
    private static final String LOAD_HOST = "10.213.0.2";
    /// The bucket holds two of the largest segments a local sender hands over at once; the queue is that of a
    /// small switch.
    private static final List<String> SHAPE = List.of("tbf", "rate", "1gbit", "burst", "128kb", "latency", "20ms");

    private final Side server;
    private final Side load;
    private final String ip;
    private final String tc;
    private final Runnable undo = this::takeDown;
    /// Guarded by this.
    private boolean isClosed;

    /// One end.
    ///
    /// @param namespace empty for that of the lab
    private record Side(String namespace, String device, String host) {
        List<String> prefix(String ip) {
            return namespace.isEmpty() ? List.of() : List.of(ip, "netns", "exec", namespace);
        }
    }

    private TestNetwork(Side server, Side load, String ip, String tc) {
        this.server = server;
        this.load = load;
        this.ip = ip;
        this.tc = tc;
    }

    public static TestNetwork loopback() {
        var side = new Side("", "lo", "127.0.0.1");
        return new TestNetwork(side, side, "", "");
    }

    /// Two namespaces with a link of 1 Gbit/s in each direction.
    ///
    /// @throws IOException with a sentence, when this is not Linux with `ip` and `tc`, or we are not root
    public static TestNetwork shaped1Gbit() throws IOException {
        var pid = ProcessHandle.current().pid();
        var network = new TestNetwork(
                new Side("millrace-" + pid + "-server", "mrs" + pid, SERVER_HOST),
                new Side("millrace-" + pid + "-load", "mrl" + pid, LOAD_HOST),
                program("ip"),
                program("tc"));
        if (Proc.number(Proc.read(Path.of("/proc/self/status")), "Uid:") != 0) {
            throw new IOException(
                    "the network 1gbit needs root: it makes two network namespaces; run the lab with sudo, "
                            + "or use the network loopback");
        }
        Children.undoAtEnd(network.undo);
        try {
            network.setUp();
        } catch (IOException failed) {
            network.close();
            throw new IOException("the network 1gbit cannot be made: " + failed.getMessage(), failed);
        }
        return network;
    }

    private static String program(String name) throws IOException {
        return Programs.find(name)
                .orElseThrow(() -> new IOException("the network 1gbit needs the program \"" + name
                        + "\": install iproute2, or use the network loopback"))
                .toString();
    }

    private void setUp() throws IOException {
        run(ip, "netns", "add", server.namespace());
        run(ip, "netns", "add", load.namespace());
        run(
                ip,
                "link",
                "add",
                server.device(),
                "netns",
                server.namespace(),
                "type",
                "veth",
                "peer",
                "name",
                load.device(),
                "netns",
                load.namespace());
        for (var side : List.of(server, load)) {
            run(ip, "-n", side.namespace(), "address", "add", side.host() + "/30", "dev", side.device());
            run(ip, "-n", side.namespace(), "link", "set", "lo", "up");
            run(ip, "-n", side.namespace(), "link", "set", side.device(), "up");
            var shape =
                    new ArrayList<>(List.of(tc, "-n", side.namespace(), "qdisc", "add", "dev", side.device(), "root"));
            shape.addAll(SHAPE);
            run(shape.toArray(String[]::new));
        }
    }

    /// One step at a time, so that at the JVM's end nothing is being created that could not be removed.
    private synchronized void run(String... words) throws IOException {
        if (isClosed) {
            throw new IOException("the lab is ending");
        }
        Programs.run(List.of(words));
    }

    /// The address for servers to listen on.
    public String serverHost() {
        return server.host();
    }

    /// Words before the command of a server.
    public List<String> serverPrefix() {
        return server.prefix(ip);
    }

    /// Words before the command of a load.
    public List<String> loadPrefix() {
        return load.prefix(ip);
    }

    /// `loopback` or `1gbit`.
    public String words() {
        return server.namespace().isEmpty() ? "loopback" : "1gbit";
    }

    /// Takes it down; what still runs in it loses its connections when it ends.
    @Override
    public void close() {
        takeDown();
        Children.forget(undo);
    }

    private synchronized void takeDown() {
        isClosed = true;
        for (var side : List.of(server, load)) {
            remove(side.namespace());
        }
    }

    /// The link goes with its namespaces. A second Ctrl-C ends `ip` too, so it is tried more than once.
    private void remove(String namespace) {
        for (int i = 0; i < 3 && !namespace.isEmpty() && Files.exists(NAMESPACES.resolve(namespace)); i++) {
            try {
                Programs.run(List.of(ip, "netns", "delete", namespace));
            } catch (IOException failed) {
                // Tried again, and then left behind: `ip netns` lists it.
            }
        }
    }
}
