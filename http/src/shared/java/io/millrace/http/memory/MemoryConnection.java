package io.millrace.http.memory;

import io.millrace.http.Headers;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpSettings;
import io.millrace.http.exchange.Serving;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A connection of the in-memory version, and the peer that has opened it: both belong to the simulation, and
/// bytes go only through [MemoryStream].
public final class MemoryConnection {
    /// Announced lengths that are collected: none on the loop, small ones elsewhere.
    private static final long[] COLLECTED_BYTES = {0, 4_000};

    private final Simulation network;
    private final MemoryCarrier carrier;
    private final Serving serving;
    private final List<String> told = new ArrayList<>();

    /// @param port a free one of this network
    public MemoryConnection(Simulation network, int port, HttpHandler handler) {
        this(network, port, HttpLimits.standard(), handler);
    }

    /// The same with other limits.
    public MemoryConnection(Simulation network, int port, HttpLimits limits, HttpHandler handler) {
        this.network = network;
        this.carrier = new MemoryCarrier(network, port);
        var settings = HttpSettings.standard()
                .limits(limits)
                .listener(served -> told.add(served.status() + " " + served.failure()));
        this.serving = new Serving(settings, COLLECTED_BYTES[network.random(2)], handler);
    }

    /// Status and failure of each request that is over.
    public List<String> told() {
        return told;
    }

    /// A request that has not begun; usually with a tiny window.
    public MemoryStream stream(String method, String target, Headers headers, byte[] body) {
        var request = new MemoryRequest(carrier.connection(), method, target, headers, body.length);
        int window = 1 + network.random(network.random(4) > 0 ? 2_000 : 200_000);
        return new MemoryStream(carrier, serving, request, body, window, network.random(2) == 0);
    }

    /// A random event on a stream, or none.
    ///
    /// @param mayBreak whether its peer may give it up, or break its framing
    public void step(MemoryStream stream, boolean mayBreak) {
        if (stream.state() == MemoryStream.State.OPEN) {
            if (!stream.hasBegun()) onLoop(() -> stream.begin(network.random(3) > 0, network.random(2) == 0));
            else if (mayBreak && network.random(60) == 0) onLoop(stream::cancel);
            else if (mayBreak && network.random(40) == 0) onLoop(stream::breakBody);
            else if (stream.takesBody()) onLoop(() -> more(stream));
        }
        if (stream.hasUnsent()) onLoop(() -> stream.take(1 + network.random(2 * stream.windowBytes())));
        if (network.random(3) == 0) network.advance(Duration.ofMillis(network.random(20)));
    }

    private void more(MemoryStream stream) {
        if (stream.takesBody()) stream.more(network.random(3) == 0 ? network.random(3) : network.random(3_000));
    }

    /// Runs a task on the connection's loop.
    public void onLoop(Runnable task) {
        carrier.onLoop(task);
    }

    /// Passes failed assertions of the loop to the test.
    public void assertNothingThrown() {
        carrier.assertNothingThrown();
    }
}
