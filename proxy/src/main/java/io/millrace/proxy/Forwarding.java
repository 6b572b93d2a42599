package io.millrace.proxy;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.filter.Networks;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.net.CheckReturnValue;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// What a proxy changes in the messages that it forwards (RFC 9110 section 7.6). Hop-by-hop fields are
/// always removed, in both directions. Values with equal settings are equal. Immutable: a property is set
/// by its name, which returns a copy, and read by the same name. Any thread.
///
/// `X-Forwarded-For`, `-Proto` and `-Host` tell the backend about the client. The proxy extends these
/// fields of clients in trusted networks. For other clients it replaces them, and removes other
/// `X-Forwarded-*` fields, `Forwarded`, and `X-Real-IP`. `Client-Cert` (RFC 9440) has the certificate that
/// a client presented in its handshake; the same field from the client is removed.
@CheckReturnValue
public final class Forwarding {
    /// Real chains of proxies with one name are shorter.
    private static final int MOST_TIMES = 8;

    private static final List<String> X_FORWARDED = List.of("x-forwarded-*", "x-real-ip");

    /// RFC 9440.
    private static final List<String> CERTIFICATES = List.of("client-cert", "client-cert-chain");

    /// Fields of untrusted peers that are not forwarded when the backend is told about the client.
    private static final List<String> OF_STRANGERS = and(and(X_FORWARDED, List.of("forwarded")), CERTIFICATES);

    private static final List<String> TRACE = List.of(TraceParent.FIELD, "tracestate");

    /// Fields with a chain of addresses, which are written anew.
    private static final List<String> CHAINS = List.of("x-forwarded-for", "forwarded");

    private static final Forwarding STANDARD =
            new Forwarding(Networks.NONE, Optional.of(Set.of(Fields.X_FORWARDED)), "millrace", Tracing.PASS);

    /// The fields that can tell a backend about the client.
    public enum Fields {
        /// `X-Forwarded-For`, `-Host` and `-Proto`.
        X_FORWARDED,
        /// `Forwarded` (RFC 7239).
        FORWARDED
    }

    /// What to do with traces (W3C Trace Context). An invalid `traceparent` is always removed, with its
    /// `tracestate`.
    public enum Tracing {
        /// Forwards a valid one.
        PASS,
        /// Forwards a valid one, and begins a trace where there is none.
        START,
        /// Removes them.
        OFF
    }

    /// The fields that tell the backend about the client.
    ///
    /// @param replaced fields of trusted peers that are not forwarded unchanged
    private record Telling(boolean inX, boolean inForwarded, List<String> replaced) {
        static Telling of(Set<Fields> fields) {
            boolean inX = fields.contains(Fields.X_FORWARDED);
            var replaced = and(and(inX ? List.of() : X_FORWARDED, CHAINS), CERTIFICATES);
            return new Telling(inX, fields.contains(Fields.FORWARDED), replaced);
        }
    }

    private final Networks trusted;
    private final Optional<Set<Fields>> fields;
    private final String name;
    private final Tracing tracing;

    /// Derived from the others, for use by each request.
    private final Optional<Telling> telling;

    private final String via;

    private Forwarding(Networks trusted, Optional<Set<Fields>> fields, String name, Tracing tracing) {
        this.trusted = trusted;
        this.fields = fields;
        this.name = name;
        this.tracing = tracing;
        this.telling = fields.map(Telling::of);
        this.via = name.isEmpty() ? "" : "1.1 " + name;
    }

    /// No client is trusted, and `X-Forwarded-*` and `Via` are sent.
    public static Forwarding standard() {
        return STANDARD;
    }

    /// The networks of other proxies, which are believed about their clients; none by default.
    public Forwarding trusted(Networks networks) {
        return new Forwarding(networks, fields, name, tracing);
    }

    public Networks trusted() {
        return trusted;
    }

    /// The fields that tell about the client; the others are removed. `X-Forwarded-*` by default.
    public Forwarding forwardedHeaders(Set<Fields> those) {
        return new Forwarding(trusted, Optional.of(Set.copyOf(those)), name, tracing);
    }

    /// The fields that tell about the client; also empty with [#forwardedHeadersAsReceived].
    public Set<Fields> forwardedHeaders() {
        return fields.orElse(Set.of());
    }

    /// Adds nothing about clients, and forwards their own fields, except for certificates.
    public Forwarding forwardedHeadersAsReceived() {
        return new Forwarding(trusted, Optional.empty(), name, tracing);
    }

    /// The proxy's name in `Via` (RFC 9110 section 7.6.3), empty for no such field; `millrace` by default.
    ///
    /// @throws IllegalArgumentException for a name that the field cannot have
    public Forwarding via(String pseudonym) {
        if (!pseudonym.isEmpty()) {
            var _ = Headers.EMPTY.with(pseudonym, "");
        }
        return new Forwarding(trusted, fields, pseudonym, tracing);
    }

    public String via() {
        return name;
    }

    /// What to do with traces; by default they are forwarded.
    public Forwarding tracing(Tracing rule) {
        return new Forwarding(trusted, fields, name, rule);
    }

    public Tracing tracing() {
        return tracing;
    }

    private List<Object> values() {
        return List.of(trusted, fields, name, tracing);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Forwarding other && values().equals(other.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    @Override
    public String toString() {
        return "Forwarding" + values();
    }

    /// The trace that a request is part of.
    ///
    /// @param luck for one that begins here
    TraceParent trace(Request request, RandomGenerator luck) {
        if (tracing == Tracing.OFF) return TraceParent.INVALID;
        var received = TraceParent.of(request);
        boolean begins = tracing == Tracing.START && !received.isPresent();
        return begins ? TraceParent.made(luck) : received;
    }

    /// Whether a request came through here so often that it must be in a loop. Other proxies with the same
    /// name count, too: a few in a row are fine.
    boolean isCircling(Request request) {
        var first = request.header("Via");
        if (first.isEmpty() || via.isEmpty()) return false;
        int times = 0;
        for (var line : request.headers().all("Via")) {
            for (var entry : line.split(",", -1)) if (isOurs(entry.strip())) times++;
        }
        return times > MOST_TIMES;
    }

    /// With any version before the name, and any comment after it.
    private boolean isOurs(String entry) {
        var name = via.substring(via.indexOf(' '));
        int at = entry.indexOf(' ');
        if (at < 0 || !entry.regionMatches(at, name, 0, name.length())) return false;
        int end = at + name.length();
        return end == entry.length() || entry.charAt(end) == ' ';
    }

    /// The head of a request for a backend.
    ///
    /// @param backend its authority
    /// @param bodyLength as for [OutgoingHead#body]
    /// @param upgrade the protocol to upgrade to, or empty
    OutgoingHead head(
            Request request,
            HostPolicy host,
            String backend,
            long bodyLength,
            boolean expectsContinue,
            String upgrade,
            TraceParent trace) {
        var asked = request.header("Host").orElse("");
        var head = OutgoingHead.forwarding(request, path(request), host.of(asked, backend));
        long forwards = MaxForwards.of(request);
        boolean isLimited = forwards != MaxForwards.UNLIMITED;
        List<String> leftOut = and(isLimited ? MaxForwards.NAMES : List.of(), trace.isToReplace() ? TRACE : List.of());
        var ours = new Ours(head, RewrittenRequest.changesOf(request));
        if (telling.isPresent()) tell(ours, request, asked, telling.get(), leftOut);
        else head.fields(request, and(CERTIFICATES, leftOut));
        if (isLimited) ours.field(MaxForwards.NAME, "" + (forwards - 1));
        if (trace.isMade()) ours.field(TraceParent.FIELD, trace.text());
        if (!upgrade.isEmpty()) head.upgrade(upgrade);
        // The version is that of the received message.
        if (!via.isEmpty()) ours.field("Via", isOld(request) ? "1.0" + via.substring("1.0".length()) : via);
        return head.body(bodyLength, expectsContinue);
    }

    /// The path as received, if the listener accepts such paths and no rewrite has changed it.
    private static String path(Request request) {
        var path = request.path();
        var received = ReceivedRequest.behind(request);
        return received != null && received.path().equals(path) ? received.sentPath() : path;
    }

    /// Our own field, unless the operator's rules set or remove it.
    private record Ours(OutgoingHead head, FieldChanges changes) {
        void field(String name, String value) {
            if (!changes.leavesOut(name)) head.field(name, value);
        }
    }

    private static boolean isOld(Request request) {
        var received = ReceivedRequest.behind(request);
        return received != null && received.isOld();
    }

    private void tell(Ours ours, Request request, String asked, Telling how, List<String> leftOut) {
        boolean isTrusted = isTrusted(peer(request));
        ours.head.fields(request, and(isTrusted ? how.replaced : OF_STRANGERS, leftOut));
        certificate(request).ifPresent(its -> ours.field("Client-Cert", its));
        var original = RewrittenRequest.originalOf(request);
        // Not what the proxy in front got from its own client.
        var theirs = isTrusted ? HopByHop.endToEnd(original.headers()) : Headers.EMPTY;
        if (how.inX) tellInX(ours, request, asked, theirs);
        if (how.inForwarded) {
            var before = theirs.all("Forwarded");
            ours.field("Forwarded", chain(before, forwarded(request, whom(request, before), asked)));
        }
    }

    /// The client's certificate, as a byte sequence (RFC 9651).
    private static Optional<String> certificate(Request request) {
        return request.security()
                .flatMap(security -> security.peerCertificates().stream().findFirst())
                .map(Forwarding::text);
    }

    private static String text(X509Certificate certificate) {
        try {
            return ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":";
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that came over TLS cannot be written", e);
        }
    }

    private static void tellInX(Ours ours, Request request, String asked, Headers theirs) {
        var before = theirs.all("X-Forwarded-For");
        ours.field("X-Forwarded-For", chain(before, text(whom(request, before))));
        if (!theirs.has("X-Forwarded-Proto")) ours.field("X-Forwarded-Proto", scheme(request));
        if (!asked.isEmpty() && !theirs.has("X-Forwarded-Host")) ours.field("X-Forwarded-Host", asked);
    }

    /// A single line, for backends that read only the first or the last one.
    private static String chain(List<String> theirs, String ours) {
        return theirs.isEmpty() ? ours : String.join(", ", theirs) + ", " + ours;
    }

    /// To the list of a trusted proxy its own address is added; otherwise the list begins with the client.
    private static SocketAddress whom(Request request, List<String> before) {
        return before.isEmpty() ? request.remote() : peer(request);
    }

    private static SocketAddress peer(Request request) {
        var received = ReceivedRequest.behind(request);
        return received == null ? request.remote() : received.connection().remote();
    }

    /// RFC 7239 section 4.
    private static String forwarded(Request request, SocketAddress whom, String asked) {
        var client = text(whom);
        var from = client.indexOf(':') < 0 ? client : "\"[" + client + "]\"";
        return "for=" + from + (asked.isEmpty() ? "" : ";host=\"" + asked + "\"") + ";proto=" + scheme(request);
    }

    private static String scheme(Request request) {
        return request.isSecure() ? "https" : "http";
    }

    /// Peers of a Unix socket are trusted if any network is.
    private boolean isTrusted(SocketAddress peer) {
        return peer instanceof InetSocketAddress at ? trusted.contains(at.getAddress()) : !trusted.isEmpty();
    }

    private static List<String> and(List<String> some, List<String> others) {
        if (some.isEmpty() || others.isEmpty()) return some.isEmpty() ? others : some;
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /// Makes the trailers for the backend from the client's: without fields about clients, and without
    /// fields that the proxy changes. Called while the request lasts. Trusted proxies forward their
    /// clients' trailers, and add none.
    UnaryOperator<Headers> trailers(Request request) {
        var head = request.headers();
        var changes = RewrittenRequest.changesOf(request);
        var changed = and(changes.leftOut(), names(changes.added()));
        var names = and(telling.isPresent() ? OF_STRANGERS : CERTIFICATES, changed);
        return received -> HopByHop.trailers(received, head, names);
    }

    private static List<String> names(Headers fields) {
        return IntStream.range(0, fields.size())
                .mapToObj(i -> fields.name(i).toLowerCase(Locale.ROOT))
                .toList();
    }

    private static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress from)) return "unknown";
        var text = from.getAddress().getHostAddress();
        // A zone means something on this machine only.
        return from.getAddress() instanceof Inet6Address && text.indexOf('%') >= 0
                ? text.substring(0, text.indexOf('%'))
                : text;
    }

    /// The fields of a backend's response, for the client.
    Headers response(Headers received) {
        return via.isEmpty() ? HopByHop.endToEnd(received) : HopByHop.endToEnd(received, "Via", via);
    }
}
