package io.millrace.proxy;

import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.util.List;

/// How many more proxies may pass on an OPTIONS or a TRACE (RFC 9110 section 7.6.2); on other methods it means
/// nothing.
final class MaxForwards {
    static final String NAME = "Max-Forwards";
    static final List<String> NAMES = List.of("max-forwards");

    /// Nobody has said so.
    static final long UNLIMITED = -1;

    /// What is more than that becomes that.
    private static final int MOST_DIGITS = 9;

    private static final long MOST = 999_999_999;

    private MaxForwards() {}

    /// What a request says, or [#UNLIMITED].
    ///
    /// @throws HttpError with 400 for what is no number
    static long of(Request request) {
        var method = request.method();
        if (!method.equals("OPTIONS") && !method.equals("TRACE")) return UNLIMITED;
        var values = request.headers().all(NAME);
        if (values.isEmpty()) return UNLIMITED;
        var digits = values.getFirst();
        boolean isNumber = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (values.size() > 1 || !isNumber) throw new HttpError(400, NAME + " " + values);
        return digits.length() > MOST_DIGITS ? MOST : Long.parseLong(digits);
    }

    /// That of the last one it reaches, which is not sent any further. A TRACE would show a client the fields
    /// that it may not see, and is not answered.
    static Response answer(Request request) {
        return Response.status(request.method().equals("OPTIONS") ? 204 : 501);
    }
}
