package io.millrace.http;

/// Called once for each of a server's requests, when its response is complete or never will be; also for requests
/// that were refused before a handler saw them. For access logs and metrics.
///
/// ```java
/// Http.listen(on, HttpSettings.standard().listener(served -> count(served.status())), app);
/// ```
@FunctionalInterface
public interface RequestListener {
    /// No listener; nothing is recorded.
    RequestListener NOBODY = _ -> {};

    /// A request is over. Called where the connection's handlers are, or on the loop if the connection has died;
    /// it must not block. Exceptions are logged.
    ///
    /// @param served lent until this returns
    void over(ServedRequest served);

    /// Calls both, this one first.
    default RequestListener andThen(RequestListener next) {
        return served -> {
            over(served);
            next.over(served);
        };
    }
}
