package io.millrace.http.pool;

import io.millrace.Tcp;
import io.millrace.http.HttpVersion;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ConnectionOwner;
import io.millrace.http.exchange.OtherVersion;
import io.millrace.http.exchange.PooledConnection;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.Destination;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.Security;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// The connections of one loop to one destination, and the requests that wait for one. On its loop only.
///
/// ```
///                    ┌─ idle connection, the one used last ──────────────┐
///   submit ──────────┼─ shared connection with room for a stream ────────┤
///                    ├─ fewer than the limit: connect ───────────────────┼──► send
///                    └─ wait, in order, until one is idle or has closed ─┘
/// ```
/// While a connection of HTTP/2 is likely to open, requests wait for it instead of connecting, too; and while a
/// server permits no streams on one, which it would not permit on others either.
///
/// The last used comes first, so that unneeded connections age. If a destination has fewer permits for
/// connections than all loops want ([Destination#connections]), a pool without one is called back when one is
/// given back, and a pool with one gives way ([GivingWay]).
final class Pool implements ConnectionOwner {
    /// So long it is known without a connection that a server requires HTTP/1.1: a request whose body cannot be sent
    /// again fails when it is learned, and the next should not.
    private static final Duration REMEMBERED = Duration.ofMinutes(5);

    private final LoopPools pools;
    private final Destination destination;
    private final PoolSettings settings;
    private HttpVersion version;
    private final int mostConnections;
    private final int mostWaiting;
    private final List<PooledConnection> connections = new ArrayList<>();
    private final ArrayDeque<PooledConnection> idle = new ArrayDeque<>();

    /// Carry several exchanges at a time, and may have room for more.
    private final List<PooledConnection> shared = new ArrayList<>(0);

    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

    /// Connection attempts in progress.
    private int coming;

    /// Whether the next connection will be shared, for all that is known.
    private boolean expectsShared;

    /// A server that speaks HTTP/2 here offers no change of protocol in it.
    private boolean changesInHttp1;

    /// Runs while the pool is kept for what it has learned.
    private Loop.@Nullable Timer remembering;

    /// Whether it is called back for the next permit.
    private boolean isAwaiting;

    private final GivingWay way;

    /// @param timer ends the wait, unless it is unlimited
    private record Waiter(Caller call, Loop.@Nullable Timer timer) {
        void leave() {
            if (timer != null) timer.cancel();
        }
    }

    Pool(LoopPools pools, Destination destination, PoolSettings settings, int mostConnections, int mostWaiting) {
        this.pools = pools;
        this.destination = destination;
        this.settings = settings;
        this.version = settings.version().apply(destination);
        this.expectsShared = version != HttpVersion.HTTP_1_1;
        this.mostConnections = mostConnections;
        this.mostWaiting = mostWaiting;
        this.way = new GivingWay(pools.loop(), settings.calls().waitNanos(), this::goOn);
    }

    void submit(Caller call) {
        boolean isInHttp1 = changesInHttp1 && isChange(call);
        boolean isNew = !isInHttp1 && call.wantsNew() && mayConnect();
        var ready = isInHttp1 || isNew ? null : nextReady();
        if (isInHttp1) needsHttp1(call);
        else if (ready != null) ready.send(call);
        else if (isNew) connect(call);
        else if (isSharedComing() && waiting.size() < mostWaiting && takesPending()) letWait(call);
        else if (mayConnect()) connect(call);
        else waitOrFail(call);
        removeIfUnused();
    }

    private void waitOrFail(Caller call) {
        boolean isFull = waiting.size() >= mostWaiting;
        if (!isFull && takesPending()) letWait(call);
        else if (way.stops()) submit(call);
        else if (isFull) refuse(call);
        else call.failed(new Overloaded("too many requests wait for connections to " + destination));
    }

    private static boolean isChange(Caller call) {
        return !call.request().head().upgrade().isEmpty();
    }

    @Override
    public void needsHttp1(Caller change) {
        if (version == HttpVersion.HTTP_2) {
            change.offersNoUpgrade();
            change.failed(new ProtocolError(destination + " speaks only HTTP/2 and has not announced extended CONNECT"
                    + " (RFC 8441), so that " + change.request() + " cannot ask for another protocol: let it speak"
                    + " HTTP/1.1, too, or announce it"));
            return;
        }
        changesInHttp1 = true;
        boolean isNew = change.wantsNew() && takesPlace();
        var ready = isNew ? null : nextIdle();
        if (ready != null) ready.send(change);
        else if (isNew || takesPlace()) connect(change, HttpVersion.HTTP_1_1);
        else waitOrFail(change);
        makeRoomForChanges();
    }

    /// A connection of HTTP/2 that nobody needs gives its place to the change that waits.
    private void makeRoomForChanges() {
        if (!changesInHttp1 || waiting.isEmpty() || isSharedComing()) return;
        var unneeded = idleShared();
        if (unneeded != null && waiting.stream().anyMatch(waiter -> isChange(waiter.call))) unneeded.end();
    }

    /// It is remembered as long as there is a connection to the server, or a request for it, and for some time.
    @Override
    public boolean fallsBack(boolean isChange) {
        if (version == HttpVersion.HTTP_2) return false;
        remember();
        if (isChange) {
            changesInHttp1 = true;
            return true;
        }
        version = HttpVersion.HTTP_1_1;
        expectsShared = false;
        changesInHttp1 = false;
        for (var one : List.copyOf(shared)) one.end();
        serveWaiting();
        return true;
    }

    private void remember() {
        if (remembering != null) remembering.cancel();
        remembering = pools.loop().after(REMEMBERED, this::forgetLearned);
    }

    private void forgetLearned() {
        if (remembering != null) remembering.cancel();
        remembering = null;
        removeIfUnused();
    }

    /// Whether a connection speaks what the server takes no longer.
    private boolean isOutdated(PooledConnection connection) {
        return version == HttpVersion.HTTP_1_1 && connection.isShared();
    }

    private boolean takesPending() {
        return destination.pending().take();
    }

    /// Whether it is better to wait for a connection that is being made.
    private boolean isSharedComing() {
        return expectsShared && coming > 0;
    }

    private void letWait(Caller call) {
        long most = settings.calls().waitNanos();
        var timer = most == 0 ? null : pools.loop().after(Duration.ofNanos(most), () -> waitedLong(call, most));
        waiting.add(new Waiter(call, timer));
        if (!isSharedComing()) awaitPlace();
    }

    private void waitedLong(Caller call, long nanos) {
        var detail = "no connection to " + destination + " was free for " + call.request() + " within "
                + nanos / 1_000_000 + " ms (" + HttpGuards.CLIENT_WAIT_TIMEOUT.name() + ")";
        HttpGuards.CLIENT_WAIT_TIMEOUT.acted(destination.address(), detail);
        forget(call);
        call.failed(new Overloaded(detail));
    }

    /// The next waiting request, if there is one.
    private @Nullable Caller next() {
        var next = waiting.poll();
        return next == null ? null : release(next);
    }

    /// It waits no longer, and has been removed.
    private Caller release(Waiter waiter) {
        waiter.leave();
        destination.pending().give();
        return waiter.call;
    }

    /// The next one that this connection can carry.
    private @Nullable Caller nextFor(PooledConnection connection) {
        if (!changesInHttp1 || !connection.isShared()) return next();
        for (var each = waiting.iterator(); each.hasNext(); ) {
            var waiter = each.next();
            if (isChange(waiter.call)) continue;
            each.remove();
            return release(waiter);
        }
        return null;
    }

    private void awaitPlace() {
        if (isAwaiting || way.isBehind() || !hasRoom() || permitsNone()) return;
        isAwaiting = true;
        destination.connections().whenGiven(() -> pools.execute(this::placeGiven));
        pools.askToSpare();
    }

    private void placeGiven() {
        isAwaiting = false;
        serveWaiting();
    }

    /// Takes a permit if possible, and if a new connection is of use.
    private boolean mayConnect() {
        return !permitsNone() && takesPlace();
    }

    private boolean permitsNone() {
        for (int i = 0; i < shared.size(); i++) if (shared.get(i).permitsNone()) return true;
        return false;
    }

    private boolean takesPlace() {
        return !way.isBehind() && hasRoom() && destination.connections().take();
    }

    private void givePlace() {
        if (areOthers()) way.letOthersFirst();
        destination.connections().give();
    }

    /// Does not reuse a connection that may hold unread bytes.
    private @Nullable PooledConnection nextReady() {
        for (int i = 0; i < shared.size(); i++) if (takesMore(shared.get(i))) return shared.get(i);
        return nextIdle();
    }

    private boolean takesMore(PooledConnection connection) {
        return connection.hasRoom() && !way.isEmptying(connection);
    }

    private @Nullable PooledConnection nextIdle() {
        var ready = idle.pollLast();
        while (ready != null && !ready.isHearing()) {
            // This pool is about to be needed.
            coming++;
            ready.drop(new Reset("it was idle, and not receiving"));
            coming--;
            ready = idle.pollLast();
        }
        return ready;
    }

    private boolean hasRoom() {
        return connections.size() + coming < mostConnections;
    }

    private void refuse(Caller call) {
        var detail = waiting.size() + " requests wait for one of " + mostConnections + " connections to " + destination
                + " (http.client.waiting): raise ClientSettings.connections or waiting, or send fewer requests";
        HttpGuards.CLIENT_WAITING.acted(destination.address(), detail);
        call.failed(new Overloaded(detail));
    }

    /// Whether a request waits until others have done with their connections.
    boolean isWaiting(Caller call) {
        if (isSharedComing()) return false;
        for (var waiter : waiting) if (waiter.call.equals(call)) return true;
        return false;
    }

    void forget(Caller call) {
        waiting.removeIf(waiter -> {
            if (!waiter.call.equals(call)) return false;
            var _ = release(waiter);
            return true;
        });
        removeIfUnused();
    }

    // Connecting.

    /// The handler of a connection that opens.
    private final class Opening implements HandlerFactory {
        private final HttpVersion offered;
        private @Nullable PooledConnection made;

        Opening(HttpVersion offered) {
            this.offered = offered;
        }

        @Override
        public Handler open(Connection connection) {
            var opened = pools.carry(connection, isHttp2(connection), Pool.this);
            made = opened;
            coming--;
            connections.add(opened);
            if (opened.isShared() && !isOutdated(opened)) shared.add(opened);
            return opened;
        }

        private boolean isHttp2(Connection opened) {
            if (offered != HttpVersion.NEGOTIATED) return offered == HttpVersion.HTTP_2;
            return opened.security()
                    .flatMap(Security::applicationProtocol)
                    .filter(OtherVersion.PROTOCOL::equals)
                    .isPresent();
        }
    }

    /// There is a permit for it.
    private void connect(Caller call) {
        connect(call, changesInHttp1 && isChange(call) ? HttpVersion.HTTP_1_1 : version);
    }

    private void connect(Caller call, HttpVersion offered) {
        var opening = new Opening(offered);
        coming++;
        try {
            var to = settings.connect()
                    .apply(destination, offered)
                    .used()
                    .loop(pools.loop())
                    .timeout(settings.connectTimeout());
            var _ = Tcp.connect(to, opening)
                    .whenComplete((_, failure) -> pools.onLoop(() -> opened(opening, failure, call)));
        } catch (RejectedExecutionException _) {
            neverCame();
            call.failed(new Reset("the event loop was closed before the connection was tried"));
        } catch (RuntimeException e) {
            neverCame();
            call.failed(e);
        }
    }

    private void neverCame() {
        coming--;
        givePlace();
    }

    private void opened(Opening opening, @Nullable Throwable failure, Caller call) {
        var connection = opening.made;
        if (connection == null) neverCame();
        if (opening.offered == version) expectsShared = connection != null && connection.isShared();
        if (connection != null && failure == null && connection.permitsNone() && !call.isOver()) {
            again(call);
        } else if (connection == null || failure != null || !connection.hasRoom()) {
            call.failed(
                    failure == null ? new Reset(destination + " sent bytes before a request, or broke off") : failure);
        } else if (pools.isClosed()) {
            connection.drop(LoopPools.closed());
            call.failed(LoopPools.closed());
        } else if (call.isOver()) {
            connection.rest();
        } else if (isOutdated(connection)) {
            connection.end();
            submit(call);
        } else {
            // Another server may have taken its place.
            if (connection.isShared()) changesInHttp1 = false;
            connection.send(call);
            if (connection.isShared()) sendWaiting(connection);
        }
        serveWaiting();
    }

    private void sendWaiting(PooledConnection connection) {
        while (takesMore(connection)) {
            var next = nextFor(connection);
            if (next == null) return;
            connection.send(next);
        }
    }

    // For connections.

    @Override
    public void idle(PooledConnection connection) {
        if (isOutdated(connection)) {
            connection.end();
            return;
        }
        if (way.goes(connection, areOthers(), !waiting.isEmpty())) {
            connection.drop(spared());
            return;
        }
        if (way.isEmptying(connection)) return;
        // To go on may have filled it.
        var next = connection.hasRoom() ? nextFor(connection) : null;
        if (next != null) connection.send(next);
        else if (pools.isRetired() || destination.isGone()) connection.end();
        else if (!connection.isShared()) idle.add(connection);
        if (!connection.isShared()) return;
        sendWaiting(connection);
        makeRoomForChanges();
        // It may have permitted none until now.
        if (!waiting.isEmpty()) serveWaiting();
    }

    /// Its idle connections are no longer needed.
    void retire() {
        forgetLearned();
        for (var one : List.copyOf(idle)) one.end();
        for (var one : List.copyOf(shared)) one.end();
    }

    void retireIfGone() {
        if (destination.isGone()) retire();
    }

    /// Whether other loops want permits.
    private boolean areOthers() {
        return destination.connections().wanted() > (isAwaiting ? 1 : 0);
    }

    /// It need not give way any more.
    private void goOn() {
        for (var one : List.copyOf(shared)) sendWaiting(one);
        serveWaiting();
    }

    /// Another loop may need the permit of an idle connection.
    void spare() {
        if (destination.connections().wanted() == 0) return;
        var oldest = idle.pollFirst();
        if (oldest == null) oldest = idleShared();
        if (oldest != null) oldest.drop(spared());
    }

    private @Nullable PooledConnection idleShared() {
        for (var one : shared) if (one.isIdle()) return one;
        return null;
    }

    private static Reset spared() {
        return new Reset("another loop needs its place");
    }

    @Override
    public void withdraw(PooledConnection connection) {
        idle.remove(connection);
        way.gone(connection);
        // It may have permitted none, which kept the pool from making others.
        if (shared.remove(connection) && !waiting.isEmpty()) serveWaiting();
    }

    @Override
    public void again(Caller unread) {
        if (pools.isClosed()) unread.failed(LoopPools.closed());
        else submit(unread);
    }

    @Override
    public void closed(PooledConnection connection, @Nullable Caller unread) {
        connections.remove(connection);
        withdraw(connection);
        boolean isAgain = unread != null && !pools.isClosed();
        if (!isAgain) givePlace();
        // On a new connection, which cannot have been idle: so this happens once.
        if (unread != null && !isAgain) unread.failed(LoopPools.closed());
        else if (unread != null) connect(unread);
        serveWaiting();
    }

    /// There may be room for another connection.
    private void serveWaiting() {
        while (!waiting.isEmpty() && !isSharedComing() && mayConnect()) {
            var next = next();
            if (next != null) connect(next);
        }
        if (!waiting.isEmpty() && !isSharedComing()) awaitPlace();
        removeIfUnused();
    }

    private void removeIfUnused() {
        boolean isUnused = coming == 0 && connections.isEmpty() && waiting.isEmpty();
        if (isUnused && remembering == null) pools.removeUnused(destination, this);
    }

    /// The client is closed.
    void close() {
        if (remembering != null) remembering.cancel();
        for (var next = next(); next != null; next = next()) next.failed(LoopPools.closed());
        for (var connection : List.copyOf(connections)) connection.drop(LoopPools.closed());
    }
}
