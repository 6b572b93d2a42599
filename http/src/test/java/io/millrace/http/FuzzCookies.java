package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Cookies that a request brings, a `Cookie` field in each line: those that an expression finds, and never
/// trouble. And those that are set: what may be made has the form that user agents know, and comes back as it was.
public final class FuzzCookies {
    private static final Pattern PAIR = Pattern.compile(
            "[ \\t]*+([!#$%&'*+.^_`|~0-9A-Za-z-]++)[ \\t]*+=[ \\t]*+([\\x20-\\x7e]*+(?:\\t++[\\x20-\\x7e]++)*+)[ \\t]*+");
    private static final Pattern SET =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]++=[^\\x00-\\x20\",;\\\\\\x7f-\\xff]*+"
                    + "(?:; Max-Age=[0-9]++)?(?:; Domain=[A-Za-z0-9.-]++)?; Path=/[^;\\x00-\\x1f\\x7f-\\xff]*+"
                    + "(?:; Secure)?(?:; HttpOnly)?; SameSite=(?:Strict|Lax|None)");

    private FuzzCookies() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var lines = new String(input, StandardCharsets.ISO_8859_1).split("\n", -1);
        assertFound(lines);
        assertSet(lines);
    }

    private static void assertFound(String[] lines) {
        var headers = Headers.builder();
        try {
            for (var line : lines) headers.add("Cookie", line);
        } catch (IllegalArgumentException _) {
            // It would not get here.
            return;
        }
        var request = Request.get("/");
        for (int i = 0; i < headers.build().size(); i++) {
            request = request.addHeader("Cookie", headers.build().value(i));
        }
        assertEquals(expected(headers.build()), Cookies.of(request).all());
    }

    private static Map<String, String> expected(Headers fields) {
        var expected = new LinkedHashMap<String, String>();
        int looked = 0;
        for (var field : fields.all("Cookie")) {
            // A semicolon at the end has nothing behind it.
            for (var text : (field.endsWith(";") ? field.substring(0, field.length() - 1) : field).split(";", -1)) {
                if (field.isEmpty() || ++looked > Cookies.MOST) break;
                var pair = PAIR.matcher(text);
                if (!pair.matches()) continue;
                var value = pair.group(2).replaceAll("[ \\t]++$", "");
                if (value.contains("\t") || pair.group(1).length() + value.length() > Cookies.MOST_BYTES) continue;
                boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
                expected.putIfAbsent(pair.group(1), isQuoted ? value.substring(1, value.length() - 1) : value);
            }
        }
        return expected;
    }

    private static void assertSet(String[] lines) {
        if (lines.length < 4) return;
        Cookie cookie;
        try {
            cookie = Cookie.of(lines[0], lines[1]).path(lines[2]);
            if (!lines[3].isEmpty()) cookie = cookie.domain(lines[3]);
        } catch (IllegalArgumentException _) {
            return;
        }
        var set =
                cookie.addTo(Response.status(204)).headers().first("Set-Cookie").orElseThrow();
        assertTrue(SET.matcher(set).matches(), set);
        var back = Request.get("/").addHeader("Cookie", set.substring(0, set.indexOf(';')));
        assertEquals(Optional.of(cookie.value()), Cookies.of(back).value(cookie.name()));
    }
}
