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
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// What a proxy changes in the messages that it passes on (RFC 9110 section 7.6). Fields of one hop are left out
/// both ways, whatever is chosen here. Two that say the same are equal. Immutable: a property is set by its name, which
/// returns a copy, and read by the same name. Any thread.
///
/// `X-Forwarded-For`, `-Proto` and `-Host` tell the backend whom we serve. What a client says there of its own is
/// believed, and added to, only if the client is in one of the trusted networks; otherwise it is replaced, and
/// other fields of such names, `Forwarded`, and `X-Real-IP` are left out. `Client-Cert` (RFC 9440) tells of the
/// certificate that a client has shown in its handshake; what anybody else says there is left out.
@CheckReturnValue
public final class Forwarding {
    /// A chain of proxies of one name is shorter.
    private static final int MOST_TIMES = 8;

    private static final List<String> X_FORWARDED = List.of("x-forwarded-*", "x-real-ip");

    /// RFC 9440.
    private static final List<String> CERTIFICATES = List.of("client-cert", "client-cert-chain");

    /// What is not passed on as it came of a peer that is not believed, where the backend is told.
    private static final List<String> OF_STRANGERS = and(and(X_FORWARDED, List.of("forwarded")), CERTIFICATES);

    private static final List<String> TRACE = List.of(TraceParent.FIELD, "tracestate");

    /// What is told of those that were asked before, which we make anew.
    private static final List<String> CHAINS = List.of("x-forwarded-for", "forwarded");

    private static final Forwarding STANDARD =
            new Forwarding(Networks.NONE, Optional.of(Set.of(Fields.X_FORWARDED)), "millrace", Tracing.PASS);

    /// The fields that can tell a backend of the client.
    public enum Fields {
        /// `X-Forwarded-For`, `-Host` and `-Proto`.
        X_FORWARDED,
        /// `Forwarded` (RFC 7239).
        FORWARDED
    }

    /// What becomes of traces (W3C Trace Context). An invalid `traceparent` is left out in any case, with its
    /// `tracestate`.
    public enum Tracing {
        /// A valid one is passed on.
        PASS,
        /// The same, and a trace begins where there is none.
        START,
        /// Nothing is passed on.
        OFF
    }

    /// Which fields tell the backend whom we serve.
    ///
    /// @param replaced what is not passed on as it came of a peer that is believed
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

    /// Made of the others, for each request.
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

    /// The networks whose clients, other proxies, are believed what they say of theirs; none by default.
    public Forwarding trusted(Networks networks) {
        return new Forwarding(networks, fields, name, tracing);
    }

    public Networks trusted() {
        return trusted;
    }

    /// The fields that tell of the client; the others are left out. `X-Forwarded-*` by default.
    public Forwarding forwardedHeaders(Set<Fields> those) {
        return new Forwarding(trusted, Optional.of(Set.copyOf(those)), name, tracing);
    }

    /// Empty with [#forwardedHeadersAsReceived], too.
    public Set<Fields> forwardedHeaders() {
        return fields.orElse(Set.of());
    }

    /// Says nothing of clients, and passes on what they say of themselves, but for certificates.
    public Forwarding forwardedHeadersAsReceived() {
        return new Forwarding(trusted, Optional.empty(), name, tracing);
    }

    /// Our name in `Via` (RFC 9110 section 7.6.3), empty for no such field; `millrace` by default.
    ///
    /// @throws IllegalArgumentException for a name that may not stand there
    public Forwarding via(String pseudonym) {
        if (!pseudonym.isEmpty()) {
            var _ = Headers.EMPTY.with(pseudonym, "");
        }
        return new Forwarding(trusted, fields, pseudonym, tracing);
    }

    public String via() {
        return name;
    }

    /// What becomes of traces; by default they are passed on.
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
    TraceParent trace(Request request) {
        if (tracing == Tracing.OFF) return TraceParent.INVALID;
        var received = TraceParent.of(request);
        boolean begins = tracing == Tracing.START && !received.isPresent();
        return begins ? TraceParent.made(ThreadLocalRandom.current()) : received;
    }

    /// Whether a request has come through here so often that it goes in circles. Others of the same name count,
    /// too: a few in a row are fine.
    boolean isCircling(Request request) {
        var first = request.header("Via");
        if (first.isEmpty() || via.isEmpty()) return false;
        int times = 0;
        for (var line : request.headers().all("Via")) {
            for (var entry : line.split(",", -1)) if (isOurs(entry.strip())) times++;
        }
        return times > MOST_TIMES;
    }

    /// Whatever the version is in front, and the comment behind.
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
    /// @param bodyLength as of [OutgoingHead#body]
    /// @param upgrade the protocol that is asked for, or empty
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
        // The version is that of the message that came.
        if (!via.isEmpty()) ours.field("Via", isOld(request) ? "1.0" + via.substring("1.0".length()) : via);
        return head.body(bodyLength, expectsContinue);
    }

    /// As it came, where a listener takes that, and nobody has made another one of it.
    private static String path(Request request) {
        var path = request.path();
        var received = ReceivedRequest.behind(request);
        return received != null && received.path().equals(path) ? received.sentPath() : path;
    }

    /// What we say ourselves, unless the operator has said what becomes of the field.
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
        // Not what a proxy before us has from somebody before it, in fields of its connection.
        var theirs = isTrusted ? HopByHop.endToEnd(original.headers()) : Headers.EMPTY;
        if (how.inX) tellInX(ours, request, asked, theirs);
        if (how.inForwarded) {
            var before = theirs.all("Forwarded");
            ours.field("Forwarded", chain(before, forwarded(request, whom(request, before), asked)));
        }
    }

    /// What the client has shown, as a byte sequence of RFC 9651.
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

    /// One line, for backends that look at the first one, or at the last one only.
    private static String chain(List<String> theirs, String ours) {
        return theirs.isEmpty() ? ours : String.join(", ", theirs) + ", " + ours;
    }

    /// Behind the list of a proxy that is believed stands that proxy; otherwise it begins with the client.
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

    /// Whoever may connect to a Unix socket is one of ours, where anybody is trusted.
    private boolean isTrusted(SocketAddress peer) {
        return peer instanceof InetSocketAddress at ? trusted.contains(at.getAddress()) : !trusted.isEmpty();
    }

    private static List<String> and(List<String> some, List<String> others) {
        if (some.isEmpty() || others.isEmpty()) return some.isEmpty() ? others : some;
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /// Makes of the fields behind a client's body those that the backend gets: none that speak of clients, and
    /// none that are changed on the way. Asked for while the request lasts. Proxies that are believed pass on
    /// what their clients say there, and say nothing of their own.
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
        // A zone is ours, and nobody else's.
        return from.getAddress() instanceof Inet6Address && text.indexOf('%') >= 0
                ? text.substring(0, text.indexOf('%'))
                : text;
    }

    /// The fields of a backend's response, for the client.
    Headers response(Headers received) {
        return via.isEmpty() ? HopByHop.endToEnd(received) : HopByHop.endToEnd(received, "Via", via);
    }
}
