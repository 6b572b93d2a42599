package io.millrace.proxy.routing;

import io.millrace.http.PathForm;
import io.millrace.http.PathForms;
import io.millrace.proxy.configuration.ListenerSettings.PathSettings;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;

/// The forms of paths that the hosts of a listener accept. Immutable.
public final class HostForms implements PathForms {
    private final Hosts<PathForm> named;
    private final PathForm others;

    private HostForms(Hosts<PathForm> named, PathForm others) {
        this.named = named;
        this.others = others;
    }

    /// The forms of a listener's settings.
    public static PathForms of(List<PathSettings> settings) {
        if (settings.isEmpty()) return PathForms.STRICT;
        var named = new HashMap<String, PathForm>();
        var others = PathForm.STRICT;
        for (var item : settings) {
            if (item.hosts().isEmpty()) others = item.form();
            for (var host : item.hosts()) named.put(host, item.form());
        }
        return new HostForms(Hosts.of(named), others);
    }

    @Override
    public PathForm of(Supplier<String> host) {
        var name = Hosts.compared(host.get());
        int end = Hosts.end(name);
        for (int at = 0; at >= 0; at = Hosts.next(name, at, end)) {
            var form = named.at(name, at, end);
            if (form != null) return form;
        }
        return others;
    }
}
