package io.millrace.proxy.service;

import io.millrace.http.filter.Networks;
import io.millrace.proxy.Forwarding;
import io.millrace.proxy.configuration.ForwardingSettings;
import io.millrace.proxy.configuration.ForwardingSettings.Fields;
import io.millrace.proxy.configuration.UpstreamSettings.HostPolicy;

/// The rules of forwarding that a configuration says.
final class Forwardings {
    private Forwardings() {}

    static Forwarding of(ForwardingSettings settings, HostPolicy host) {
        var rules = Forwarding.standard()
                .forwardedHeaders(
                        settings.fields().contains(Fields.X_FORWARDED),
                        settings.fields().contains(Fields.FORWARDED));
        rules = settings.via().isEmpty() ? rules.withoutVia() : rules.via(settings.via());
        rules = switch (settings.tracing()) {
            case PASS -> rules;
            case START -> rules.tracing();
            case OFF -> rules.untraced();
        };
        rules = switch (settings.policy()) {
            case SET -> rules;
            case APPEND -> rules.trusting(Networks.ALL);
            case TRUST -> rules.trusting(Networks.of(settings.trusted()));
        };
        return switch (host) {
            case HostPolicy.Keep _ -> rules;
            case HostPolicy.BackendAddress _ -> rules.ownHost();
            case HostPolicy.Rewrite rewrite -> rules.host(rewrite.host());
        };
    }
}
