package io.millrace.http.h2;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Authority;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.TargetForms;
import org.jspecify.annotations.Nullable;

/// What the fields of a request's head say (RFC 9113 section 8.3.1); one for each connection, whose requests often ask
/// for the same.
final class RequestHeads {
    private final HttpLimits limits;

    private @Nullable HpackField lastPath;
    private @Nullable HpackField lastAuthority;
    private @Nullable Target lastTarget;

    RequestHeads(HttpLimits limits) {
        this.limits = limits;
    }

    /// What is missing, or there without need, in words.
    static @Nullable String fault(FieldCollector fields) {
        var method = fields.method;
        if (fields.status != null) return "a status in a request";
        if (method == null || !isMethod(method.value)) return "no method";
        boolean isConnect = method.value.equals("CONNECT");
        if (isConnect && fields.length != null) return "a content-length of a tunnel";
        if (fields.protocol != null) {
            if (!isConnect) return "a :protocol without CONNECT";
            if (fields.authority == null) return "a :protocol without an authority";
        } else if (isConnect) {
            boolean isFine = fields.scheme == null && fields.path == null && fields.authority != null;
            return isFine ? null : "a target of CONNECT that is not an authority";
        }
        if (fields.scheme == null || fields.scheme.value.isEmpty()) return "no scheme";
        if (fields.path == null || fields.path.value.isEmpty()) return "no path";
        return null;
    }

    private static boolean isMethod(String method) {
        for (int i = 0; i < method.length(); i++)
            if (method.charAt(i) > 0x7f || !Syntax.isToken((byte) method.charAt(i))) return false;
        return !method.isEmpty() && method.length() <= Syntax.MOST_METHOD;
    }

    /// The body's length: announced, 0, or unknown.
    static long length(FieldCollector fields, boolean endsStream) throws StreamError {
        if (fields.length == null) return endsStream ? 0 : Body.UNKNOWN;
        long length = fields.announcedLength();
        if (endsStream && length != 0) throw StreamError.malformed("a content-length without a body");
        return length;
    }

    /// Whether the peer waits before it sends the body.
    static boolean awaitsContinue(FieldCollector fields) throws Refusal {
        var field = fields.expect;
        if (field == null) return false;
        if (!field.value.equalsIgnoreCase("100-continue"))
            throw new Refusal(417, "an expectation other than 100-continue");
        return true;
    }

    /// The method above the seam, where a change of protocol is asked for as in HTTP/1.1.
    static String method(FieldCollector fields) {
        var method = fields.method;
        if (method == null) return "";
        return fields.protocol == null ? method.value : "GET";
    }

    /// Peers often ask for the same again, and the table then has the same objects.
    @SuppressWarnings("ReferenceEquality") // the object itself
    Target target(FieldCollector fields) throws Refusal {
        if (fields.protocol != null) ExtendedConnect.check(fields.protocol);
        var known = lastTarget;
        boolean isLast = lastPath == fields.path && lastAuthority == fields.authority && fields.host == null;
        if (known != null && isLast) return known;
        var host = host(fields);
        var path = fields.path;
        if (path == null) {
            var bytes = Syntax.latin1(host);
            return Target.authority(bytes, 0, bytes.length);
        }
        var found = target(fields, path.value, host);
        boolean isOfThese = fields.host == null && path.value.charAt(0) == '/';
        lastTarget = isOfThese ? found : null;
        lastPath = path;
        lastAuthority = fields.authority;
        return found;
    }

    private Target target(FieldCollector fields, String path, String host) throws Refusal {
        if (path.length() > limits.requestLineBytes())
            throw new Refusal(414, "a path of more than " + limits.requestLineBytes(), HttpGuards.REQUEST_LINE);
        var method = fields.method;
        if (path.equals("*") && method != null && method.value.equals("OPTIONS")) return Target.server("");
        if (path.charAt(0) != '/') throw new Refusal(400, "a path that does not begin with a slash");
        var bytes = Syntax.latin1(path);
        return Target.origin(bytes, 0, bytes.length, TargetForms.bits(limits, () -> host));
    }

    /// The host, which a request names once, or twice alike (RFC 9113 section 8.3.1).
    private static String host(FieldCollector fields) throws Refusal {
        var authority = fields.authority;
        var host = fields.host;
        if (authority == null && host == null) throw new Refusal(400, "no authority, and no Host field");
        var named = authority != null ? authority.value : host == null ? "" : host.value;
        var bytes = Syntax.latin1(named);
        Authority.check(bytes, 0, bytes.length);
        if (authority != null && host != null) {
            var scheme = fields.scheme == null ? "https" : fields.scheme.value;
            if (!Authority.normalised(host.value, scheme).equals(Authority.normalised(named, scheme)))
                throw new Refusal(400, "an authority that differs from the Host field");
        }
        return named;
    }
}
