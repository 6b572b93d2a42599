package io.millrace.proxy.upstream;

import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.upstream.DnsMessage.DnsRecord;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;

/// Asks DNS for the addresses of a name, or for its services (SRV), and again when an answer expires.
///
/// The listener gets a list when it has changed. A name that is unknown, or has no address, is treated
/// like a server that does not answer: the last list stays in use, and DNS is asked again after 1 s, 2 s
/// and so on up to 30 s. Of a name with IPv4 and IPv6 addresses only the IPv4 ones are used: with both,
/// each machine would count twice.
final class DnsLookup {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int HOSTS_SECONDS = 5;
    private static final int MOST_TARGETS = 16;

    /// If there are more, the most important ones are used, always the same.
    private static final Comparator<DnsRecord.ServiceRecord> MOST_WANTED_FIRST = Comparator.comparingInt(
                    DnsRecord.ServiceRecord::priority)
            .thenComparing(DnsRecord.ServiceRecord::weight, Comparator.reverseOrder())
            .thenComparing(DnsRecord.ServiceRecord::target)
            .thenComparingInt(DnsRecord.ServiceRecord::port);

    private final DnsClient client;
    private final ResolvConf names;
    private final Path hosts;
    private final String name;

    /// 0 for services, which have their own.
    private final int port;

    private final Duration shortest;
    private final Duration longest;

    /// @param shortest the shortest time between two questions, for any TTL
    /// @param longest the longest time, as long as DNS answers
    DnsLookup(
            DnsClient client,
            ResolvConf names,
            Path hosts,
            String name,
            int port,
            Duration shortest,
            Duration longest) {
        this.client = client;
        this.names = names;
        this.hosts = hosts;
        this.name = name;
        this.port = port;
        this.shortest = shortest;
        this.longest = longest;
        var _ = names.candidates(name);
    }

    /// The endpoints that are known, and for how long.
    ///
    /// @param leftOut the number of targets that are not looked up
    private record Known(List<Endpoint> endpoints, long seconds, int leftOut) {
        Known(List<Endpoint> endpoints, long seconds) {
            this(endpoints, seconds, 0);
        }
    }

    /// Asks repeatedly, on a thread of its own, and gives the listener each change.
    ///
    /// @return ends the lookups
    AutoCloseable watch(Consumer<List<Endpoint>> listener) {
        return Repeating.start("millrace-dns " + name, new Watch(listener)::ask);
    }

    /// Asks repeatedly. One thread at a time.
    private final class Watch {
        private final Consumer<List<Endpoint>> listener;
        private List<Endpoint> last = List.of();
        private int failures;
        private int leftOut;

        private Watch(Consumer<List<Endpoint>> listener) {
            this.listener = listener;
        }

        /// Asks, and reports a change.
        ///
        /// @return how long the answer is valid
        private Duration ask() {
            try {
                var known = lookUp();
                failures = 0;
                tellLeftOut(known);
                if (!known.endpoints().equals(last)) listener.accept(known.endpoints());
                last = known.endpoints();
                return between(Duration.ofSeconds(known.seconds()), longest);
            } catch (IOException e) {
                return pause(e);
            }
        }

        private void tellLeftOut(Known known) {
            if (known.leftOut() > 0 && known.leftOut() != leftOut) {
                LOG.log(
                        Level.WARNING,
                        name + ": DNS names " + (MOST_TARGETS + known.leftOut()) + " servers, of which " + MOST_TARGETS
                                + " are used, by priority, weight and name: give it fewer");
            }
            leftOut = known.leftOut();
        }

        private Duration pause(IOException e) {
            if (failures++ == 0 && !Thread.currentThread().isInterrupted()) {
                var what = last.isEmpty() ? "there are no endpoints until it works" : "the last list stays in use";
                LOG.log(Level.WARNING, "{0}: {1}; {2}", name, e.getMessage(), what);
                ProxyEvents.ofProcess().add(EventKind.BACKEND, true, name + ": " + e.getMessage() + "; " + what);
            }
            return between(Duration.ofSeconds(1L << Math.min(failures - 1, 10)), LONGEST_PAUSE);
        }

        private Duration between(Duration wanted, Duration longest) {
            var most = wanted.compareTo(longest) > 0 ? longest : wanted;
            return most.compareTo(shortest) < 0 ? shortest : most;
        }
    }

    private Known lookUp() throws IOException {
        var known = port > 0 ? addresses() : services();
        if (known.endpoints().isEmpty()) throw new IOException("DNS has no address for it");
        return known;
    }

    private Known addresses() throws IOException {
        var written = written();
        if (!written.isEmpty()) return new Known(sorted(endpoints(written, port, 1, 0)), HOSTS_SECONDS);
        for (var candidate : names.candidates(name)) {
            var found = hostAddresses(candidate);
            if (found.records().isEmpty()) continue;
            return new Known(sorted(endpoints(addressesIn(found), port, 1, 0)), found.seconds());
        }
        return new Known(List.of(), 0);
    }

    private List<InetAddress> written() {
        try {
            return ResolvConf.hosts(Files.readAllLines(hosts), DnsMessage.checkedName(name));
        } catch (IOException _) {
            // Without the file, only DNS is used.
            return List.of();
        }
    }

    private DnsMessage.Answer hostAddresses(String host) throws IOException {
        var four = client.ask(host, DnsRecord.Type.A);
        return four.records().isEmpty() ? client.ask(host, DnsRecord.Type.AAAA) : four;
    }

    private Known services() throws IOException {
        for (var candidate : names.candidates(name)) {
            var found = client.ask(candidate, DnsRecord.Type.SRV);
            if (!found.records().isEmpty()) return services(found);
        }
        return new Known(List.of(), 0);
    }

    /// Servers rotate the list with each answer, so the choice of targets depends on the targets alone.
    private Known services(DnsMessage.Answer found) throws IOException {
        var services = found.records().stream()
                .filter(DnsRecord.ServiceRecord.class::isInstance)
                .map(DnsRecord.ServiceRecord.class::cast)
                .filter(service -> !service.target().isEmpty() && service.port() > 0)
                .sorted(MOST_WANTED_FIRST)
                .toList();
        var targets = services.stream()
                .map(DnsRecord.ServiceRecord::target)
                .distinct()
                .toList();
        var asked = new HashMap<String, DnsMessage.Answer>();
        for (var target : targets.subList(0, Math.min(targets.size(), MOST_TARGETS))) {
            asked.put(target, hostAddresses(target));
        }
        var all = new ArrayList<Endpoint>();
        long seconds = found.seconds();
        for (var service : services) {
            var answer = asked.get(service.target());
            if (answer == null || answer.records().isEmpty()) continue;
            seconds = Math.min(seconds, answer.seconds());
            // RFC 2782: 0 means a very small share, like 1 among hundreds.
            int weight = Math.max(1, service.weight());
            all.addAll(endpoints(addressesIn(answer), service.port(), weight, service.priority()));
        }
        return new Known(sorted(all), seconds, targets.size() - asked.size());
    }

    private static List<InetAddress> addressesIn(DnsMessage.Answer answer) {
        var addresses = new ArrayList<InetAddress>();
        for (var record : answer.records()) {
            if (record instanceof DnsRecord.Address one) addresses.add(one.address());
        }
        return addresses;
    }

    private static List<Endpoint> endpoints(List<InetAddress> addresses, int port, int weight, int priority) {
        return addresses.stream()
                .map(address -> new Endpoint(new InetSocketAddress(address, port), weight, priority, ""))
                .toList();
    }

    /// Servers rotate the list with each answer.
    private static List<Endpoint> sorted(List<Endpoint> endpoints) {
        return endpoints.stream()
                .distinct()
                .sorted(Comparator.comparing(endpoint -> Wording.of(endpoint.address())))
                .toList();
    }
}
