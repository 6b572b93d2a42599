package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// What is done to a service in the course of a day. Each step waits until its effect is seen.
final class DaySteps {
    private static final int WEIGHTS = 10;
    private static final double SOON = 0.12;
    private static final Duration FAR = Duration.ofHours(12);

    /// How long a request may suffer from what is over: it waits for a backend, and then for another one.
    private static final long AFTERMATH_NANOS = Duration.ofSeconds(12).toNanos();

    interface Action {
        void run() throws IOException, InterruptedException;
    }

    /// @param at when, as a part of a round
    record Step(String name, double at, Action action) {}

    /// A time in which something was different.
    ///
    /// @param what the address of the backend, or what it was
    record Span(String what, long fromNanos, long toNanos) {
        boolean meets(long from, long to) {
            return from <= toNanos && to >= fromNanos;
        }
    }

    private final DayService service;
    private final DayBackends backends;
    private final int plain;
    private final Path configuration;
    private final Random luck;
    private final Consumer<Path> rotated;

    /// Backends that were gone or silent.
    final List<Span> faults = new CopyOnWriteArrayList<>();

    /// Processes of the service that ended.
    final List<Span> changes = new CopyOnWriteArrayList<>();

    final List<Span> fullDisks = new CopyOnWriteArrayList<>();

    private final List<Long> replaced = new ArrayList<>();
    private final List<Path> moved = new ArrayList<>();
    private int revision;
    private int files;
    private long fullSinceNanos;
    private int saidBefore;
    private boolean isFull;

    /// @param plain the port of the listener in the clear
    /// @param configuration with the words `REVISION` and `WEIGHT`
    /// @param rotated is told of each log that has been rotated, before that is deleted
    DaySteps(
            DayService service,
            DayBackends backends,
            int plain,
            Path configuration,
            Random luck,
            Consumer<Path> rotated) {
        this.service = service;
        this.backends = backends;
        this.plain = plain;
        this.configuration = configuration;
        this.luck = luck;
        this.rotated = rotated;
    }

    /// The steps of a round, in their order.
    ///
    /// @param isQuiet no process of the service ends
    List<Step> round(boolean isQuiet) {
        var all = new ArrayList<Step>();
        for (int i = 0; i < 2; i++) all.add(new Step("reload", luck.nextDouble(), this::reload));
        for (int i = 0; i < 2; i++) all.add(new Step("rotate", luck.nextDouble(), this::rotate));
        all.add(new Step("broken", luck.nextDouble(), this::refuseBroken));
        if (!isQuiet) {
            for (int i = 0; i < 2; i++) all.add(new Step("upgrade", luck.nextDouble(), this::upgrade));
            all.add(new Step("restart", luck.nextDouble(), this::restart));
        }
        pair(all, luck.nextDouble(), "fill the disk", this::fill, "free the disk", this::free);
        var jumps = new ArrayList<>(List.of("+40d", "-2d"));
        Collections.shuffle(jumps, luck);
        for (int i = 0; i < 2; i++) {
            var by = jumps.get(i);
            pair(
                    all,
                    (i + luck.nextDouble() / 2) / 2,
                    "clock " + by,
                    () -> setClock(by),
                    "clock right",
                    this::setRight);
        }
        var order = new ArrayList<>(List.of(0, 1, 2));
        Collections.shuffle(order, luck);
        var faulty = List.of("TERM", "KILL", "STOP");
        for (int i = 0; i < faulty.size(); i++) {
            int which = order.get(i);
            var signal = faulty.get(i);
            var end = signal.equals("STOP") ? "CONT" : "start";
            double at = (i + luck.nextDouble() / 2) / faulty.size();
            pair(all, at, signal + " " + which, () -> fail(which, signal), end + " " + which, () -> bringBack(which));
        }
        all.sort(Comparator.comparingDouble(Step::at));
        return all;
    }

    private void pair(List<Step> all, double at, String first, Action begin, String second, Action end) {
        all.add(new Step(first, at, begin));
        all.add(new Step(second, at + SOON * (0.2 + luck.nextDouble()), end));
    }

    // Configurations

    /// The next one, which shows its number.
    void configure() throws IOException {
        revision++;
        service.configure(text());
    }

    private String text() throws IOException {
        return Files.readString(configuration)
                .replace("REVISION", "" + revision)
                .replace("WEIGHT", "" + (1 + luck.nextInt(WEIGHTS)));
    }

    private void reload() throws IOException, InterruptedException {
        configure();
        service.signal("HUP");
        awaitRevision();
    }

    private void awaitRevision() throws InterruptedException {
        var expected = "" + revision;
        DayService.await(
                () -> expected.equals(service.ask(plain, "/clock").fields().get("x-revision")), "revision " + expected);
    }

    /// Neither a reload nor a process that would take over is served by it.
    private void refuseBroken() throws IOException, InterruptedException {
        int noticed = service.notices.count();
        int said = service.log.count();
        service.configure(text().replace("upstream: app", "upstream: nobody"));
        service.signal("HUP");
        service.notices.await(noticed, line -> line.contains("the configuration before"), "the refusal");
        service.signal("USR2");
        service.log.await(said, line -> line.contains("does not take over"), "the end of the next process");
        awaitRevision();
        reload();
    }

    // Processes

    private void upgrade() throws IOException, InterruptedException {
        awaitEnds();
        configure();
        long from = System.nanoTime();
        long before = service.pid();
        int noticed = service.notices.count();
        service.signal("USR2");
        // Whoever asks both processes to read it again must not end the one that only starts.
        service.signal("HUP");
        service.notices.await(
                noticed,
                line -> line.contains("MAINPID=") && line.contains("READY=1"),
                "the notice of the process that takes over");
        assertTrue(service.pid() != before, "another process serves");
        service.signal("HUP");
        awaitRevision();
        replaced.add(before);
        changes.add(new Span(
                "upgrade", from, System.nanoTime() + Duration.ofSeconds(15).toNanos()));
    }

    private void awaitEnds() throws InterruptedException {
        for (var one : replaced) service.awaitEnd(one);
        replaced.clear();
    }

    private void restart() throws IOException, InterruptedException {
        awaitEnds();
        configure();
        long from = System.nanoTime();
        service.end();
        service.begin();
        awaitRevision();
        changes.add(new Span("restart", from, System.nanoTime()));
    }

    // The log and its disk

    private void rotate() throws IOException, InterruptedException {
        awaitEnds();
        readMoved();
        var log = service.onDisk("access.log");
        var aside = service.onDisk("access.log." + ++files);
        Files.move(log, aside);
        service.signal("USR1");
        DayService.await(() -> Files.exists(log) && (isFull || Files.size(log) > 0), "a log after the rotation");
        moved.add(aside);
    }

    private void readMoved() throws IOException {
        for (var one : moved) {
            rotated.accept(one);
            Files.delete(one);
        }
        moved.clear();
    }

    /// Reads what is left, when the service has ended.
    void readLogs() throws IOException {
        moved.add(service.onDisk("access.log"));
        readMoved();
    }

    private void fill() throws IOException, InterruptedException {
        saidBefore = service.log.count();
        fullSinceNanos = System.nanoTime();
        isFull = true;
        try (var filler = Files.newOutputStream(service.onDisk("filler"))) {
            var block = new byte[64 << 10];
            while (isWritten(() -> filler.write(block))) {
                // Until the disk is full.
            }
        }
        service.log.await(saidBefore, line -> line.contains("lines are lost"), "a line about the full disk");
    }

    private static boolean isWritten(Action write) throws InterruptedException {
        try {
            write.run();
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private void free() throws IOException, InterruptedException {
        Files.delete(service.onDisk("filler"));
        isFull = false;
        // A log that was rotated meanwhile has made room before.
        DayService.await(() -> said("lines are lost") == said("lines were lost"), "a line about what was lost");
        fullDisks.add(new Span("full disk", fullSinceNanos, System.nanoTime()));
    }

    /// How often since the disk was filled, by all processes.
    private long said(String words) {
        return service.log.all().stream()
                .skip(saidBefore)
                .filter(line -> line.text().contains(words))
                .count();
    }

    // The clock

    private void setClock(String by) throws IOException, InterruptedException {
        service.setClock(by);
        DayService.await(() -> ahead().abs().compareTo(FAR) > 0, "a Date of another day");
    }

    private void setRight() throws IOException, InterruptedException {
        service.setClock("+0");
        DayService.await(() -> ahead().abs().compareTo(FAR) < 0, "a Date of today");
    }

    /// How far the clock of the service is from ours.
    private Duration ahead() throws IOException {
        var date = service.ask(plain, "/clock").fields().getOrDefault("date", "");
        var theirs =
                ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        return Duration.between(Instant.now(), theirs);
    }

    // Backends

    private void fail(int which, String signal) throws IOException, InterruptedException {
        backends.fail(which, signal);
        service.awaitMetric(healthy(which, 0));
    }

    private void bringBack(int which) throws IOException, InterruptedException {
        long from = backends.bringBack(which);
        service.awaitMetric(healthy(which, 1));
        faults.add(new Span(backends.address(which), from, System.nanoTime() + AFTERMATH_NANOS));
    }

    private String healthy(int which, int value) {
        return "millrace_backend_healthy{layer=\"7\",upstream=\"app\",backend=\"" + backends.address(which) + "\"} "
                + value;
    }
}
