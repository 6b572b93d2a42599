package io.millrace.lab.process;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/// Reads the memory of another JVM, through the management agent that it starts when asked to. A reading makes
/// some tens of kilobytes of garbage there. The JVM must not be paused while one is taken. One thread at a time
/// may use it.
public final class JvmMeter implements AutoCloseable {
    private static final String ANSWER_WITHIN_MILLIS = "10000";
    private static final ObjectName MEMORY = name("java.lang:type=Memory");
    private static final ObjectName THREADS = name("java.lang:type=Threading");
    private static final ObjectName COLLECTORS = name("java.lang:type=GarbageCollector,name=*");
    private static final String[] COUNT_AND_TIME = {"CollectionCount", "CollectionTime"};

    static {
        // Otherwise a JVM that hangs would hang the lab. Read when the first connection is made.
        setUnlessSet("sun.rmi.transport.tcp.responseTimeout", ANSWER_WITHIN_MILLIS);
        // Otherwise this machine's name is looked up, which takes seconds if it is unknown.
        setUnlessSet("java.rmi.server.hostname", "127.0.0.1");
    }

    private final JMXServiceURL address;
    /// Null when the JVM is in our network namespace.
    private final @Nullable NetworkThread network;
    private @Nullable JMXConnector connector;
    /// A JVM's collectors stay the same. Empty until they were asked for.
    private List<ObjectName> collectors = List.of();

    private JvmMeter(JMXServiceURL address, @Nullable NetworkThread network) {
        this.address = address;
        this.network = network;
    }

    /// Attaches to a JVM: the process itself, or else the first of its descendants that is one. It must run its
    /// program already; one that is just starting cannot be told from other processes.
    ///
    /// @return empty when there is none, or when it does not let us
    public static Optional<JvmMeter> attach(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .map(Proc::of)
                // Another process would be asked by SIGQUIT, and most end of that.
                .filter(Proc::isJvm)
                .findFirst()
                .flatMap(jvm -> open(jvm.pid()));
    }

    private static Optional<JvmMeter> open(long pid) {
        try {
            var jvm = VirtualMachine.attach(Long.toString(pid));
            try {
                return Optional.of(open(pid, new JMXServiceURL(jvm.startLocalManagementAgent())));
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException | IOException refused) {
            return Optional.empty();
        }
    }

    private static JvmMeter open(long pid, JMXServiceURL address) throws IOException {
        var meter = new JvmMeter(address, Listening.isInOurNetwork(pid) ? null : NetworkThread.of(pid));
        try {
            meter.read();
            return meter;
        } catch (IOException refused) {
            meter.close();
            throw refused;
        }
    }

    /// Reads it all.
    ///
    /// @throws IOException when the JVM has ended, or does not answer within 10 s
    public JvmReading read() throws IOException {
        return ask(this::reading);
    }

    private JvmReading reading(MBeanServerConnection jvm) throws IOException, JMException {
        var heap = MemoryUsage.from((CompositeData) jvm.getAttribute(MEMORY, "HeapMemoryUsage"));
        long count = 0;
        long millis = 0;
        for (var collector : collectors(jvm)) {
            for (var value : jvm.getAttributes(collector, COUNT_AND_TIME).asList()) {
                if (value.getName().equals("CollectionCount")) count += (long) value.getValue();
                else millis += (long) value.getValue();
            }
        }
        return new JvmReading(heap.getUsed(), heap.getCommitted(), count, millis, allocatedBytes(jvm));
    }

    /// The time of a cycle is not that of a pause: the JVM runs in it.
    private List<ObjectName> collectors(MBeanServerConnection jvm) throws IOException {
        if (collectors.isEmpty()) {
            collectors = jvm.queryNames(COLLECTORS, null).stream()
                    .filter(name -> !name.getKeyProperty("name").endsWith("Cycles"))
                    .toList();
        }
        return collectors;
    }

    private static long allocatedBytes(MBeanServerConnection jvm) throws IOException, JMException {
        var values = jvm.getAttributes(THREADS, new String[] {"TotalThreadAllocatedBytes"});
        return values.asList().isEmpty()
                ? -1
                : (long) values.asList().getFirst().getValue();
    }

    /// Makes it collect its garbage, and returns when that is done.
    ///
    /// @throws IOException when the JVM has ended, or does not answer within 10 s
    public void collect() throws IOException {
        ask(jvm -> jvm.invoke(MEMORY, "gc", new Object[0], new String[0]));
    }

    @FunctionalInterface
    private interface Question<T> {
        T ask(MBeanServerConnection jvm) throws IOException, JMException;
    }

    private <T> T ask(Question<T> question) throws IOException {
        return network == null ? askTwice(question) : network.call(() -> askTwice(question));
    }

    /// An idle connection is closed by the other side after two minutes.
    private <T> T askTwice(Question<T> question) throws IOException {
        try {
            return askOnce(question);
        } catch (IOException old) {
            disconnect();
            return askOnce(question);
        }
    }

    // The other side is a process that the lab started, and could do all it likes anyway.
    @SuppressWarnings("BanJNDI")
    private <T> T askOnce(Question<T> question) throws IOException {
        if (connector == null) {
            // No thread of the connection asks by itself whether the other side is there.
            connector = JMXConnectorFactory.connect(address, Map.of("jmx.remote.x.client.connection.check.period", 0L));
        }
        try {
            return question.ask(connector.getMBeanServerConnection());
        } catch (JMException failed) {
            throw new IOException("the JVM does not give its figures: " + failed, failed);
        }
    }

    @Override
    public void close() {
        if (network == null) {
            disconnect();
            return;
        }
        try (network) {
            network.call(() -> {
                disconnect();
                return this;
            });
        } catch (IOException gone) {
            // The JVM ended first.
        }
    }

    private void disconnect() {
        var open = connector;
        connector = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException gone) {
            // The JVM ended first.
        }
    }

    private static void setUnlessSet(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private static ObjectName name(String text) {
        try {
            return new ObjectName(text);
        } catch (MalformedObjectNameException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }
}
