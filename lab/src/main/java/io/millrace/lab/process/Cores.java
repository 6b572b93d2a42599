package io.millrace.lab.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Which cores belong to the servers and which to the load, so that neither takes time from the other.
public final class Cores {
    private final List<Integer> ofServer;
    private final List<Integer> ofBackend;
    private final List<Integer> ofLoad;
    private final String taskset;

    private Cores(List<Integer> ofServer, List<Integer> ofBackend, List<Integer> ofLoad, String taskset) {
        this.ofServer = ofServer;
        this.ofBackend = ofBackend;
        this.ofLoad = ofLoad;
        this.taskset = taskset;
    }

    /// Half of the cores that the lab may use for each, the first ones for the server. Nothing is pinned if
    /// `taskset` is missing or there is only one core.
    public static Cores ofThisMachine() {
        var allowed = allowed(Proc.read(Path.of("/proc/self/status")));
        return Programs.find("taskset")
                .map(taskset -> split(allowed, taskset.toString()))
                .orElseGet(Cores::none);
    }

    /// The load gets the odd one: it must never be the bottleneck.
    static Cores split(List<Integer> allowed, String taskset) {
        if (allowed.size() < 2) {
            return none();
        }
        int half = allowed.size() / 2;
        return new Cores(allowed.subList(0, half), List.of(), allowed.subList(half, allowed.size()), taskset);
    }

    /// The same, with a part of the load's cores for the server behind a proxy; they share what cannot be divided.
    public Cores withBackend() {
        if (ofLoad.size() < 2) {
            return new Cores(ofServer, ofLoad, ofLoad, taskset);
        }
        int half = ofLoad.size() / 2;
        return new Cores(ofServer, ofLoad.subList(0, half), ofLoad.subList(half, ofLoad.size()), taskset);
    }

    private static Cores none() {
        return new Cores(List.of(), List.of(), List.of(), "");
    }

    /// From the line `Cpus_allowed_list: 0-3,8`.
    static List<Integer> allowed(String status) {
        return status.lines()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .flatMap(line ->
                        List.of(line.substring(line.indexOf(':') + 1).strip().split(",", -1)).stream())
                .map(range -> range.split("-", 2))
                .flatMapToInt(ends ->
                        IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])))
                .boxed()
                .toList();
    }

    /// As `taskset -c` takes them; empty when nothing is pinned.
    public String server() {
        return text(ofServer);
    }

    /// Likewise.
    public String load() {
        return text(ofLoad);
    }

    /// Likewise, of the server behind a proxy; empty also without one.
    public String backend() {
        return text(ofBackend);
    }

    /// Words before the command of a server; none when nothing is pinned.
    public List<String> serverPrefix() {
        return prefix(server());
    }

    /// Words before the command of a load; none when nothing is pinned.
    public List<String> loadPrefix() {
        return prefix(load());
    }

    /// Words before the command of the server behind a proxy; likewise.
    public List<String> backendPrefix() {
        return prefix(backend());
    }

    private List<String> prefix(String cores) {
        return cores.isEmpty() ? List.of() : List.of(taskset, "-c", cores);
    }

    /// Neighbours as a range, `0-3,8`.
    private static String text(List<Integer> cores) {
        var ranges = new ArrayList<int[]>();
        for (int core : cores) {
            if (!ranges.isEmpty() && ranges.getLast()[1] == core - 1) {
                ranges.getLast()[1] = core;
            } else {
                ranges.add(new int[] {core, core});
            }
        }
        return ranges.stream()
                .map(range -> range[0] == range[1] ? "" + range[0] : range[0] + "-" + range[1])
                .collect(Collectors.joining(","));
    }
}
