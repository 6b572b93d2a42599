package io.millrace.proxy.admin;

/// What happened in one second, or a little more. Immutable.
///
/// @param epochMillis when it ended
/// @param statuses requests that ended, a second, by the class of their status; index 0 is for those without a
///     response
/// @param cut requests that did not get a whole response, a second
/// @param micros how long half, 90, 99 and 99.9 % of them took at most; NaN without requests
/// @param receivedBytes from the kernel, a second
/// @param sentBytes to the kernel, a second
/// @param connections open ones, of clients and to backends
/// @param busy which part of the time the busiest loop worked, 0 to 1
@SuppressWarnings("ArrayRecordComponent") // nobody changes them
record LoadSample(
        long epochMillis,
        double[] statuses,
        double cut,
        double[] micros,
        double receivedBytes,
        double sentBytes,
        long connections,
        double busy,
        MemoryUse memory) {
    /// The names of [#statuses].
    static final String[] STATUSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    /// The names of [#micros], and which part of the requests they are of.
    static final String[] QUANTILES = {"p50", "p90", "p99", "p999"};

    static final double[] SHARES = {0.5, 0.9, 0.99, 0.999};
}
