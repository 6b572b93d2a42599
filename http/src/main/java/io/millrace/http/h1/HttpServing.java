package io.millrace.http.h1;

import io.millrace.Dispatch;
import io.millrace.bytes.Input;
import io.millrace.http.HttpLimits;
import io.millrace.http.exchange.OtherVersion;
import io.millrace.http.exchange.Serving;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.AddressOwner;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What all connections of a server share.
public final class HttpServing implements HandlerFactory {
    private static final int FEW = 512;
    private static final int MANY = 16 << 10;
    private static final byte[] NONE = {};
    private static final Optional<String> OTHER = Optional.of(OtherVersion.PROTOCOL);

    private final Serving exchanges;
    private final OtherVersion other;
    private final HttpLimits limits;
    private final long idleNanos;
    private final long headNanos;
    private final boolean isOnLoop;

    /// Whether a blocked thread keeps no others from running.
    private final boolean mayLeaveCall;

    /// By address or network; counted only if there is a limit.
    private final Map<Long, Integer> perAddress = new ConcurrentHashMap<>();

    private final ThreadLocal<CallScratch> ofLoop;

    /// The connections' handler for a server.
    ///
    /// @param other takes connections that begin with another version
    /// @param dispatch where calls run
    public HttpServing(Serving exchanges, OtherVersion other, Dispatch dispatch) {
        this.exchanges = exchanges;
        this.other = other;
        this.limits = exchanges.settings().limits();
        this.idleNanos = limits.idleTimeout().toNanos();
        this.headNanos = limits.headTimeout().toNanos();
        this.isOnLoop = dispatch instanceof Dispatch.OnLoop;
        this.mayLeaveCall = dispatch instanceof Dispatch.OnVirtual;
        this.ofLoop = ThreadLocal.withInitial(
                () -> new CallScratch(limits, new byte[HeadReader.sharedBytes(limits)], new WireText(MANY)));
    }

    @Override
    public Handler open(Connection connection) {
        if (limits.connectionsPerAddress() > 0 && !hasRoomFor(connection)) connection.abort();
        return isOtherAgreed(connection) ? handedOver(connection) : new HttpConnection(this, connection);
    }

    private static boolean isOtherAgreed(Connection connection) {
        var security = connection.security();
        return security.isPresent() && security.get().applicationProtocol().equals(OTHER);
    }

    /// Until the other version has it, nothing is read.
    private Handler handedOver(Connection connection) {
        connection.pause();
        handOver(TcpConnection.of(connection));
        return new Handler() {
            @Override
            public void onInput(Input in) {}

            @Override
            public void onClose(@Nullable IOException cause) {
                closed(connection);
            }
        };
    }

    private boolean hasRoomFor(Connection connection) {
        if (!(connection.remote() instanceof InetSocketAddress peer)) return true;
        int count = perAddress.merge(AddressOwner.of(peer.getAddress()), 1, Integer::sum);
        if (count <= limits.connectionsPerAddress()) return true;
        HttpGuards.PER_ADDRESS.acted(
                peer,
                count + " connections from one address, the limit is " + limits.connectionsPerAddress()
                        + ": raise HttpLimits.connectionsPerAddress");
        return false;
    }

    /// A connection has closed.
    void closed(Connection connection) {
        if (!countsAddresses() || !(connection.remote() instanceof InetSocketAddress peer)) return;
        perAddress.computeIfPresent(
                AddressOwner.of(peer.getAddress()), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    /// Whether it has to be told of the end of a connection.
    boolean countsAddresses() {
        return limits.connectionsPerAddress() > 0;
    }

    /// The settings for exchanges.
    Serving exchanges() {
        return exchanges;
    }

    /// The connection begins with another version. Nothing of this one is kept for it.
    void handOver(TcpConnection connection) {
        other.take(connection, () -> closed(connection));
    }

    HttpLimits limits() {
        return limits;
    }

    long idleNanos() {
        return idleNanos;
    }

    long headNanos() {
        return headNanos;
    }

    boolean mayLeaveCall() {
        return mayLeaveCall;
    }

    boolean isOnLoop() {
        return isOnLoop;
    }

    /// For a new connection, on its loop.
    CallScratch scratch() {
        return isOnLoop ? ofLoop.get() : new CallScratch(limits, NONE, new WireText(FEW));
    }
}
