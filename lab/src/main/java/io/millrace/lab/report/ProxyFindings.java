package io.millrace.lab.report;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The 2019 comparison of proxies written in Netty, beside what was measured here with the smallest pages.
final class ProxyFindings {
    private static final String NOTE = "Published in 2019 for proxies written in Netty, between three machines; not "
            + "our measurements. It gave one rate, and described the rest.";

    private static final Map<String, String> NAMES = Map.of("netty", "Netty", "millrace", "Millrace");

    private final List<Ranking> layer4;
    private final List<Ranking> layer7;

    private ProxyFindings(List<Ranking> layer4, List<Ranking> layer7) {
        this.layer4 = layer4;
        this.layer7 = layer7;
    }

    static Findings of(SortedMap<LoadShape, List<Ranking>> shapes) {
        var findings = new ProxyFindings(smallest("layer 4", shapes), smallest("layer 7", shapes));
        return new Findings(2019, NOTE, findings.rows());
    }

    private static List<Ranking> smallest(String layer, SortedMap<LoadShape, List<Ranking>> shapes) {
        return Findings.standings(shapes, shape -> shape.handler().equals(layer));
    }

    private List<List<String>> rows() {
        return List.of(
                List.of(
                        "requests/s without a proxy",
                        "266,000",
                        Figures.number(Findings.median(Measure.RATE, layer4, Tables.DIRECT))),
                List.of("layer 4: requests/s against those", "0.97", each(whose -> toDirect(layer4, whose + "-4"))),
                List.of("layer 7: requests/s against those", "far less", each(whose -> toDirect(layer7, whose + "-7"))),
                List.of(
                        "layer 4: CPU µs/request of same, shared and own loops",
                        "least, more, most",
                        each(whose -> inOrder(Measure.CPU_PER_MESSAGE, layer4, whose + "-4"))),
                List.of(
                        "layer 7: CPU µs/request of same, shared and own loops",
                        "least, more, most",
                        each(whose -> inOrder(Measure.CPU_PER_MESSAGE, layer7, whose + "-7"))),
                List.of(
                        "layer 4: switches of own loops against same",
                        "about 4",
                        each(whose ->
                                ratio(Measure.SWITCHES, layer4, whose + "-4-epoll-own", whose + "-4-epoll-same"))),
                List.of(
                        "layer 4: requests/CPU s, pooled against unpooled",
                        "1.03",
                        each(whose -> ratio(
                                Measure.PER_CPU_SECOND,
                                layer4,
                                whose + "-4-epoll-same" + (whose.equals("netty") ? "-pooled" : ""),
                                whose + "-4-epoll-same-unpooled"))),
                List.of(
                        "layer 7: requests/CPU s, 2,000 bytes aggregated at most against 100,000,000",
                        "a little more",
                        each(whose -> ratio(
                                Measure.PER_CPU_SECOND,
                                layer7,
                                whose + "-7-epoll-same-2000",
                                whose + "-7-epoll-same-100m"))));
    }

    private static String each(Function<String, String> figure) {
        return Stream.of("netty", "millrace")
                .map(whose -> NAMES.get(whose) + " " + figure.apply(whose))
                .collect(Collectors.joining(" · "));
    }

    private static String toDirect(List<Ranking> standings, String prefix) {
        return ratio(Measure.RATE, standings, prefix + "-epoll-same", Tables.DIRECT);
    }

    private static String inOrder(Measure measure, List<Ranking> standings, String prefix) {
        return Stream.of("same", "shared", "own")
                .map(loops -> Figures.number(Findings.median(measure, standings, prefix + "-epoll-" + loops)))
                .collect(Collectors.joining(", "));
    }

    private static String ratio(Measure measure, List<Ranking> standings, String peer, String other) {
        return Figures.number(Findings.median(measure, standings, peer) / Findings.median(measure, standings, other));
    }
}
