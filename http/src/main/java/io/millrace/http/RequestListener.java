package io.millrace.http;

/// Hears of each request of a server, once, when its response is complete or never will be; of requests that were
/// refused before any handler saw them, too. For access logs and metrics.
///
/// ```java
/// Http.listen(on, HttpSettings.standard().listener(served -> count(served.status())), app);
/// ```
@FunctionalInterface
public interface RequestListener {
    /// Nobody listens, and nothing is noted down.
    RequestListener NOBODY = _ -> {};

    /// A request is over. Called where the handlers of its connection are, or on the loop when the connection has
    /// died; it must not block. What it throws is logged.
    ///
    /// @param served lent until this returns
    void over(ServedRequest served);

    /// Both hear of it, this one first.
    default RequestListener andThen(RequestListener next) {
        return served -> {
            over(served);
            next.over(served);
        };
    }
}
