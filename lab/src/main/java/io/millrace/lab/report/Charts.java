package io.millrace.lab.report;

import io.millrace.lab.report.Chart.Kind;
import io.millrace.lab.report.Chart.Panel;
import io.millrace.lab.report.Chart.Point;
import io.millrace.lab.report.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// Turns standings into charts.
final class Charts {
    private static final List<Measure> PERCENTILES =
            List.of(Measure.P50, Measure.P90, Measure.P99, Measure.P999, Measure.MAX);

    /// Seconds between two rounds on the time axis, which shows that they ran apart.
    private static final double GAP_SECONDS = 1;

    private Charts() {}

    /// Rate and CPU per message of each peer, with intervals.
    static Chart bars(LoadShape shape, List<Ranking> standings) {
        var rates =
                points(standings, (x, standing) -> Point.of(x, standing.rate().value()));
        var cpu = points(standings, (x, standing) -> Point.of(x, standing.cpu().value()));
        var perSecond = Measure.RATE.words(shape.unit());
        var each = Measure.CPU_PER_MESSAGE.words(shape.unit());
        return new Chart(
                Kind.BARS,
                "Throughput and CPU per " + shape.unit() + ": " + shape.words(),
                standings.stream().map(Ranking::peer).toList(),
                List.of(
                        new Panel(perSecond, false, List.of(new Series(perSecond, false, rates))),
                        new Panel(each, false, List.of(new Series(each, false, cpu)))));
    }

    private interface ToPoint {
        Point of(int x, Ranking standing);
    }

    private static List<Point> points(List<Ranking> standings, ToPoint toPoint) {
        return IntStream.range(0, standings.size())
                .mapToObj(i -> toPoint.of(i, standings.get(i)))
                .toList();
    }

    static Chart latency(LoadShape shape, List<Ranking> standings) {
        var series = standings.stream()
                .map(standing -> new Series(
                        standing.peer(),
                        false,
                        IntStream.range(0, PERCENTILES.size())
                                .mapToObj(x -> Point.of(x, standing.median(PERCENTILES.get(x))))
                                .toList()))
                .toList();
        var categories = PERCENTILES.stream()
                .map(measure -> measure.words(shape.unit()).replace(" µs", ""))
                .toList();
        return new Chart(Kind.LINES, "Latency: " + shape.words(), categories, List.of(new Panel("µs", true, series)));
    }

    /// Rate and CPU second by second, the rounds one after the other.
    static Chart overTime(LoadShape shape, List<Ranking> standings) {
        var rates = new ArrayList<Series>();
        var cpu = new ArrayList<Series>();
        for (var standing : standings) {
            rates.add(new Series(standing.peer(), false, moments(standing, Moment::messagesPerSecond)));
            cpu.add(new Series(standing.peer(), false, moments(standing, Moment::serverCpuPercent)));
        }
        return new Chart(
                Kind.TIME,
                "Rate and CPU over time: " + shape.words(),
                List.of(),
                List.of(
                        new Panel(Measure.RATE.words(shape.unit()), false, rates),
                        new Panel("server CPU %", false, cpu)));
    }

    /// Bytes and context switches second by second, likewise.
    static Chart flowOverTime(LoadShape shape, List<Ranking> standings) {
        var megabytes = new ArrayList<Series>();
        var switches = new ArrayList<Series>();
        for (var standing : standings) {
            megabytes.add(new Series(standing.peer(), false, moments(standing, Moment::megabytesPerSecond)));
            switches.add(new Series(standing.peer(), false, moments(standing, Moment::serverSwitchesPerSecond)));
        }
        return new Chart(
                Kind.TIME,
                "Network and context switches over time: " + shape.words(),
                List.of(),
                List.of(
                        new Panel("MB/s, one way", false, megabytes),
                        new Panel("context switches/s", false, switches)));
    }

    private static List<Point> moments(Ranking standing, ToDoubleFunction<Moment> value) {
        var points = new ArrayList<Point>();
        var start = 0.0;
        for (var round : standing.cell().rounds()) {
            var end = start;
            for (var moment : round.overTime()) {
                end = start + moment.seconds();
                points.add(Point.of(end, value.applyAsDouble(moment)));
            }
            points.add(Point.of(end, Double.NaN));
            start = end + GAP_SECONDS;
        }
        return points;
    }

    /// Rate and MB/s over the size, for shapes that differ in nothing else.
    static Chart overSize(String load, SortedMap<LoadShape, List<Ranking>> shapes) {
        var sizes = List.copyOf(shapes.keySet());
        var rates = new ArrayList<Series>();
        var megabytes = new ArrayList<Series>();
        for (var peer : peers(shapes)) {
            rates.add(curve(
                    peer, shapes, (x, standing) -> Point.of(x, standing.rate().value())));
            megabytes.add(curve(peer, shapes, (x, standing) -> Point.of(x, standing.median(Measure.MEGABYTES))));
        }
        return new Chart(
                Kind.LINES,
                "Throughput over message size: " + load,
                sizes.stream().map(shape -> Figures.bytes(shape.sizeBytes())).toList(),
                List.of(
                        new Panel(Measure.RATE.words(shapes.firstKey().unit()), true, rates),
                        new Panel("MB/s, one way", false, megabytes)));
    }

    static List<String> peers(SortedMap<LoadShape, List<Ranking>> shapes) {
        return shapes.values().stream()
                .flatMap(List::stream)
                .map(Ranking::peer)
                .distinct()
                .toList();
    }

    private static Series curve(String peer, SortedMap<LoadShape, List<Ranking>> shapes, ToPoint toPoint) {
        var points = new ArrayList<Point>();
        var x = 0;
        for (var standings : shapes.values()) {
            var position = x++;
            standings.stream()
                    .filter(standing -> standing.peer().equals(peer))
                    .forEach(standing -> points.add(toPoint.of(position, standing)));
        }
        return new Series(peer, false, points);
    }

    /// Our rates beside the published ones, for the sizes that both have.
    static Chart beside(Published published, String load, SortedMap<LoadShape, List<Ranking>> shapes) {
        var series = new ArrayList<Series>();
        for (var system : published.systems()) {
            var points = new ArrayList<Point>();
            var x = 0;
            for (var shape : shapes.keySet()) {
                var position = x++;
                published.ofSize(shape.sizeBytes()).stream()
                        .filter(row -> row.system().equals(system) && Double.isFinite(row.messagesPerSecond()))
                        .forEach(row -> points.add(Point.of(position, row.messagesPerSecond())));
            }
            if (!points.isEmpty()) {
                series.add(new Series(published.label(system), true, points));
            }
        }
        for (var peer : peers(shapes)) {
            series.add(curve(
                    peer, shapes, (x, standing) -> Point.of(x, standing.rate().value())));
        }
        return new Chart(
                Kind.GROUPS,
                "Beside the published figures: " + load,
                shapes.keySet().stream()
                        .map(shape -> Figures.bytes(shape.sizeBytes()))
                        .toList(),
                List.of(new Panel("messages/s", true, series)));
    }

    static Chart idle(List<Idle> idle) {
        var heap = new ArrayList<Point>();
        var rss = new ArrayList<Point>();
        for (var i = 0; i < idle.size(); i++) {
            var one = idle.get(i);
            heap.add(Point.of(i, one.heapBytesEach() < 0 ? Double.NaN : one.heapBytesEach()));
            rss.add(Point.of(i, one.rssBytesEach()));
        }
        return new Chart(
                Kind.BARS,
                "Bytes per idle connection",
                idle.stream().map(Idle::label).toList(),
                List.of(
                        new Panel("heap bytes", false, List.of(new Series("heap bytes", false, heap))),
                        new Panel("RSS bytes", false, List.of(new Series("RSS bytes", false, rss)))));
    }
}
