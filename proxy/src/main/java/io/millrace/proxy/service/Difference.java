package io.millrace.proxy.service;

import io.millrace.proxy.configuration.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The difference between two configurations, as a text for a log:
/// `new listener web2, changed route api, removed upstream old`.
final class Difference {
    /// More are only counted.
    private static final int MOST = 8;

    private final List<String> all = new ArrayList<>();

    private Difference() {}

    static String of(Configuration before, Configuration after) {
        var found = new Difference();
        found.add("listener", before.listeners(), after.listeners());
        found.add("route", before.routes(), after.routes());
        found.add("upstream", before.upstreams(), after.upstreams());
        found.add("forwarding", before.forwarding(), after.forwarding());
        found.add("access-log", before.accessLog(), after.accessLog());
        found.add("admin", before.admin(), after.admin());
        found.add("runtime", before.runtime(), after.runtime());
        found.add("drain-timeout", before.drain(), after.drain());
        return found.text();
    }

    private void add(String kind, Map<String, ?> before, Map<String, ?> after) {
        var names = new LinkedHashSet<>(after.keySet());
        names.addAll(before.keySet());
        for (var name : names) {
            if (!before.containsKey(name)) all.add("new " + kind + " " + name);
            else if (!after.containsKey(name)) all.add("removed " + kind + " " + name);
            else add(kind + " " + name, before.get(name), after.get(name));
        }
    }

    private void add(String what, @Nullable Object before, @Nullable Object after) {
        if (!Objects.equals(before, after)) all.add("changed " + what);
    }

    private String text() {
        if (all.isEmpty()) return "nothing has changed";
        var shown = String.join(", ", all.subList(0, Math.min(all.size(), MOST)));
        return all.size() > MOST ? shown + " and " + (all.size() - MOST) + " more" : shown;
    }
}
