package io.millrace.lab;

import io.millrace.lab.process.Cores;
import io.millrace.lab.process.Fingerprint;
import io.millrace.lab.process.ProcessMeter;
import io.millrace.lab.process.ServerProcess;
import io.millrace.lab.process.TestNetwork;
import io.millrace.lab.report.Cell;
import io.millrace.lab.report.FirstUse;
import io.millrace.lab.report.Idle;
import io.millrace.lab.report.LoadShape;
import io.millrace.lab.report.Method;
import io.millrace.lab.report.Results;
import io.millrace.lab.report.Round;
import io.millrace.lab.report.Unmeasured;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// A run of the lab: starts the load generator and the servers, checks them, warms them up, and measures them in turns.
/// The servers are processes of their own; however a run ends, none is left.
///
/// ```java
/// Results results = Lab.run(plan, catalogue, System.err::println);
/// ```
public final class Lab {
    /// A server that has not reported its address by then is left out.
    private static final Duration START_PATIENCE = Duration.ofSeconds(15);

    private final Plan plan;
    private final Consumer<String> progress;
    private final Cores cores;
    private final TestNetwork network;
    private final LoadProcess load;
    private final PeerSite site;
    private final Optional<Identity> identity;
    private final String backend;
    private final Neighbours neighbours;
    private final List<Unmeasured> problems = new ArrayList<>();
    private final List<FirstUse> firstUse = new ArrayList<>();

    private Lab(
            Plan plan,
            Consumer<String> progress,
            Cores cores,
            TestNetwork network,
            LoadProcess load,
            RunningBackend backend,
            Optional<Identity> identity) {
        this.plan = plan;
        this.progress = progress;
        this.cores = cores;
        this.network = network;
        this.load = load;
        this.identity = identity;
        this.site = site(network, backend, identity);
        this.backend = backend.words();
        var ofLoad = Stream.of(ProcessMeter.of(load.pid()));
        this.neighbours =
                new Neighbours(Stream.concat(ofLoad, backend.meter().stream()).toList());
    }

    /// Carries out a plan. Peers that fail are problems in the result.
    ///
    /// @param progress gets the progress, a line at a time
    /// @throws IllegalArgumentException with a sentence, for a peer that the catalogue does not have,
    ///     and in a runtime image
    /// @throws IOException when the load generator, or the network, could not be started
    public static Results run(Plan plan, Catalogue catalogue, Consumer<String> progress)
            throws IOException, InterruptedException {
        var candidates = catalogue.find(plan.peers());
        var machine = Fingerprint.take(List.of());
        var cores = cores(catalogue);
        try (var network = plan.isShaped() ? TestNetwork.shaped1Gbit() : TestNetwork.loopback();
                var load = LoadProcess.start(both(network.loadPrefix(), cores.loadPrefix()), 1);
                var backend = RunningBackend.start(
                        plan, catalogue.backend(), network.serverHost(), network.serverPrefix(), cores)) {
            var identity = plan.key().isPresent()
                    ? Optional.of(Identity.make(plan.key().get(), network.serverHost()))
                    : Optional.<Identity>empty();
            var lab = new Lab(plan, progress, cores, network, load, backend, identity);
            var cells = plan.hasRounds() ? lab.rounds(candidates) : List.<Cell>of();
            var idle = lab.idle(candidates);
            return new Results(
                    Results.FORMAT,
                    machine.warnings(lab.neighbours.warnings()),
                    lab.method(),
                    cells,
                    lab.problems,
                    idle,
                    lab.firstUse);
        }
    }

    private static PeerSite site(TestNetwork network, RunningBackend backend, Optional<Identity> identity) {
        var site = backend.behind(PeerSite.at(network.serverHost()));
        return identity.map(site::as).orElse(site);
    }

    private static Cores cores(Catalogue catalogue) {
        var cores = Cores.ofThisMachine();
        return catalogue.backend().isPresent() ? cores.withBackend() : cores;
    }

    // Rounds in turns.

    private List<Cell> rounds(List<Candidate> candidates) throws IOException, InterruptedException {
        var ring = new ArrayList<Contender>();
        try {
            for (var candidate : candidates) enter(candidate, ring);
            var cells = new ArrayList<Cell>();
            for (var shape : plan.allShapes()) {
                if (!ring.isEmpty()) cells.addAll(measure(shape, ring));
            }
            return cells;
        } finally {
            ring.forEach(Contender::close);
        }
    }

    private void enter(Candidate candidate, List<Contender> ring) throws InterruptedException {
        say(candidate, "starts");
        try {
            var contender = start(candidate);
            ring.add(contender);
            try {
                check(contender);
                if (plan.workload() == Workload.CLOSE) {
                    firstUse.add(FirstRequests.measure(
                            contender, plan.trials(candidate).getFirst()));
                }
                new WarmUp(plan, contender).run();
                contender.server().pause();
            } catch (IOException e) {
                leave(contender, plan.firstShape(candidate), e, ring);
            }
        } catch (IOException e) {
            problem(candidate, plan.firstShape(candidate), String.valueOf(e.getMessage()));
        }
    }

    /// A server that does some of it correctly is measured in that.
    private void check(Contender contender) throws IOException, InterruptedException {
        var trials = plan.trials(contender.candidate());
        for (var trial : trials) {
            try {
                contender.check(trial);
            } catch (IOException e) {
                contender.sitOut(trial);
                boolean isAll = trials.stream().noneMatch(contender::isFitFor);
                if (isAll || !contender.server().isAlive()) throw e;
                problem(contender.candidate(), trial, String.valueOf(e.getMessage()));
            }
        }
    }

    private Contender start(Candidate candidate) throws IOException, InterruptedException {
        if (!candidate.unavailableBecause().isEmpty())
            throw new IOException(candidate.name() + " " + candidate.unavailableBecause());
        var command = candidate.recipe().command(site);
        boolean isDirect = candidate.kind() == Candidate.Kind.DIRECT;
        var prefix = both(network.serverPrefix(), isDirect ? cores.backendPrefix() : cores.serverPrefix());
        return new Contender(candidate, ServerProcess.start(command, prefix, START_PATIENCE), load, identity);
    }

    private List<Cell> measure(LoadShape shape, List<Contender> ring) throws InterruptedException {
        var rounds = new LinkedHashMap<String, List<Round>>();
        for (int i = 0; i < plan.rounds(); i++) {
            progress.accept(shape.words() + ", round " + (i + 1) + " of " + plan.rounds());
            for (var contender : List.copyOf(ring)) {
                boolean takesPart = plan.takesPart(contender.candidate(), shape) && contender.isFitFor(shape);
                if (takesPart) turn(contender, shape, ring, rounds);
            }
        }
        return rounds.entrySet().stream()
                .map(entry -> new Cell(entry.getKey(), shape, entry.getValue()))
                .toList();
    }

    private void turn(Contender contender, LoadShape shape, List<Contender> ring, Map<String, List<Round>> rounds)
            throws InterruptedException {
        var name = contender.candidate().name();
        try {
            neighbours.look(contender.meter());
            contender.server().resume();
            var round = contender.round(shape, plan.seconds());
            contender.server().pause();
            neighbours.lookAgain(contender.meter());
            rounds.computeIfAbsent(name, _ -> new ArrayList<>()).add(round);
        } catch (IOException e) {
            if (!sitsOut(contender, shape, e)) leave(contender, shape, e, ring);
        }
    }

    /// A server that fails in one shape, with a thousand connections perhaps, is measured in the others while
    /// it runs.
    private boolean sitsOut(Contender contender, LoadShape shape, IOException why) {
        try {
            contender.server().pause();
        } catch (IOException _) {
            return false;
        }
        contender.sitOutOnly(shape);
        problem(contender.candidate(), shape, String.valueOf(why.getMessage()));
        return true;
    }

    /// No longer measures the server, and reports that.
    private void leave(Contender contender, LoadShape shape, IOException why, List<Contender> ring) {
        var server = contender.server();
        var words = String.valueOf(why.getMessage());
        boolean isNews = !server.isAlive() && !words.contains(server.lastWords());
        if (isNews) words += "; " + server.name() + " is gone: " + server.lastWords();
        problem(contender.candidate(), shape, words);
        ring.remove(contender);
        contender.close();
    }

    private void problem(Candidate candidate, LoadShape shape, String what) {
        progress.accept(what);
        problems.add(new Unmeasured(candidate.name(), shape, what));
    }

    // Idle connections.

    private List<Idle> idle(List<Candidate> candidates) throws InterruptedException {
        var found = new ArrayList<Idle>();
        for (var shape : plan.idleShapes()) {
            for (var candidate : candidates) idle(candidate, shape, found);
        }
        return found;
    }

    private void idle(Candidate candidate, LoadShape shape, List<Idle> found) throws InterruptedException {
        say(candidate, shape.connections() + " connections");
        try (var contender = start(candidate)) {
            contender.check(shape);
            // Such a connection has said something before its first request.
            if (shape.exchange().isHttp2()) found.add(IdleCost.measure(contender, shape, 0));
            found.add(IdleCost.measure(contender, shape, 1));
        } catch (IOException e) {
            problem(candidate, shape, String.valueOf(e.getMessage()));
        }
    }

    // Words.

    private Method method() {
        return new Method(
                plan.words(),
                plan.commandLine(),
                String.join(" ", MeasuredPeer.JVM_FLAGS),
                String.join(", ", plan.baselines()),
                plan.rounds(),
                plan.seconds(),
                cores.server(),
                cores.load(),
                backend,
                network.words());
    }

    private void say(Candidate candidate, String what) {
        progress.accept(String.format(Locale.ROOT, "%-26s %s", candidate.name(), what));
    }

    private static List<String> both(List<String> outer, List<String> inner) {
        return Stream.concat(outer.stream(), inner.stream()).toList();
    }
}
