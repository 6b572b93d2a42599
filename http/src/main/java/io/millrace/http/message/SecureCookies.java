package io.millrace.http.message;

import io.millrace.http.Headers;
import java.util.regex.Pattern;

/// Makes cookies that are set over TLS secure, so that they come back over TLS only (RFC 6265 section 5.2.5).
public final class SecureCookies {
    private static final String SET_COOKIE = "Set-Cookie";
    private static final Pattern SECURE = Pattern.compile(";\\s*secure\\s*(;|=|$)", Pattern.CASE_INSENSITIVE);

    private SecureCookies() {}

    /// A response as it is sent over TLS.
    public static BuiltResponse in(BuiltResponse answer) {
        return answer.headers().has(SET_COOKIE) ? answer.with(secured(answer.headers()), answer.content()) : answer;
    }

    private static Headers secured(Headers sent) {
        var fields = Headers.builder();
        sent.forEach((name, value) -> {
            boolean isOpen =
                    name.equalsIgnoreCase(SET_COOKIE) && !SECURE.matcher(value).find();
            fields.add(name, isOpen ? value + "; Secure" : value);
        });
        return fields.build();
    }
}
