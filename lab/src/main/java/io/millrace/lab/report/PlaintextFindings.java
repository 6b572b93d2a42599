package io.millrace.lab.report;

import io.millrace.lab.load.Exchange;
import java.util.List;
import java.util.SortedMap;

/// What the article on Netty's native transport of 2014 said of gathering writes, with requests 256 deep on 256
/// connections.
final class PlaintextFindings {
    private static final String NOTE = "Published in 2014 for gathering writes in Netty's native transport, before "
            + "and after they filled the iovec array directly; not our measurements. Its load was wrk with 16 "
            + "threads, whose MB are 1,048,576 bytes. Here servers and load have the cores named under \"Machine and "
            + "method\", and Millrace does not parse a pipelined head again that repeats the previous one, as the "
            + "heads of this load do.";

    private static final int MANY = 256;
    private static final double MEBIBYTES_IN_A_MEGABYTE = 1e6 / (1 << 20);

    private final List<Ranking> standings;
    private final List<String> peers;

    private PlaintextFindings(List<Ranking> standings, List<String> peers) {
        this.standings = standings;
        this.peers = peers;
    }

    static Findings of(Results results, SortedMap<LoadShape, List<Ranking>> shapes) {
        var standings = Findings.standings(shapes, PlaintextFindings::isPublished);
        var peers = Findings.peers(List.of("netty-epoll"), results);
        return new Findings(2014, NOTE, new PlaintextFindings(standings, peers).rows());
    }

    private static boolean isPublished(LoadShape shape) {
        return shape.exchange() == Exchange.REQUESTS && shape.connections() == MANY && shape.depth() == MANY;
    }

    private List<List<String>> rows() {
        return List.of(
                List.of(
                        "256 deep × 256 connections: requests/s",
                        published("2,887,885", "3,080,170"),
                        each(Measure.RATE, 1)),
                List.of(
                        "256 deep × 256 connections: MiB/s",
                        published("396.6", "423.0"),
                        each(Measure.MEGABYTES, MEBIBYTES_IN_A_MEGABYTE)),
                List.of(
                        "256 deep × 256 connections: average latency, ms",
                        published("23.4", "21.9"),
                        each(Measure.AVERAGE, 1e-3)),
                List.of(
                        "256 deep × 256 connections: CPU cores the server used",
                        Figures.NOTHING,
                        each(Measure.CPU_PERCENT, 1e-2)));
    }

    private static String published(String before, String after) {
        return before + " · iovec array filled directly " + after;
    }

    private String each(Measure measure, double unit) {
        return Findings.each(peers, peer -> Figures.number(unit * Findings.median(measure, standings, peer)));
    }
}
