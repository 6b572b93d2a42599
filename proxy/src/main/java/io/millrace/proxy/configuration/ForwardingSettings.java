package io.millrace.proxy.configuration;

import io.millrace.http.filter.Network;
import java.util.List;
import java.util.Set;

/// What a request that is passed on says of its way (RFC 9110 section 7.6, RFC 7239).
///
/// @param fields which of them tell the client's address; the others are taken away
/// @param policy what becomes of those that the client sent
/// @param trusted from there they are believed, with [Policy#TRUST]
/// @param via our name in the Via field; empty for none
/// @param tracing what becomes of the trace that it is part of
/// @param connect where CONNECT may lead, each `HOST:PORT`; empty to refuse it
public record ForwardingSettings(
        Set<Fields> fields, Policy policy, List<Network> trusted, String via, Tracing tracing, Set<String> connect) {
    public static final ForwardingSettings STANDARD = new ForwardingSettings(
            Set.of(Fields.X_FORWARDED), Policy.SET, List.of(), "millrace", Tracing.PASS, Set.of());

    /// What becomes of W3C Trace Context.
    public enum Tracing {
        /// What is valid is passed on.
        PASS,
        /// The same, and a trace begins where there is none.
        START,
        /// Nothing is passed on.
        OFF
    }

    /// The two ways to say it.
    public enum Fields {
        /// `X-Forwarded-For`, `-Host` and `-Proto`.
        X_FORWARDED,
        /// `Forwarded`.
        FORWARDED
    }

    /// What becomes of fields that are there already.
    public enum Policy {
        /// They are replaced by what we know ourselves.
        SET,
        /// What we know is put behind them.
        APPEND,
        /// Appended from trusted networks, set from elsewhere.
        TRUST
    }
}
