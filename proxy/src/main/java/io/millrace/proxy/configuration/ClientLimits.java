package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.http.server.Http;
import java.time.Duration;

/// What a listener of layer 7 takes from its clients.
///
/// @param writeTimeout while a client takes nothing of a response
public record ClientLimits(HttpLimits http, Duration writeTimeout) {
    public static final ClientLimits STANDARD = new ClientLimits(HttpLimits.standard(), Http.STANDARD_WRITE_TIMEOUT);
}
