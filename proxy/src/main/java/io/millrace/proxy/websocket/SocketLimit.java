package io.millrace.proxy.websocket;

import io.millrace.http.message.AddressOwner;
import io.millrace.http.message.TunnelLimit;
import io.millrace.proxy.announce.ProxyGuards;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// How many WebSockets a listener or a route has at a time, in all and of each client address. Any thread; never are
/// more taken than the limit, not even for a moment.
public final class SocketLimit implements TunnelLimit {
    private final String whose;
    private final int most;
    private final int mostPerAddress;
    private final AtomicInteger open = new AtomicInteger();

    /// By the address's owner; empty without a limit.
    private final Map<Long, Integer> perAddress = new ConcurrentHashMap<>();

    /// @param whose for logs
    /// @param most 0 for any number
    /// @param mostPerAddress 0 for any number
    public SocketLimit(String whose, int most, int mostPerAddress) {
        this.whose = whose;
        this.most = most == 0 ? Integer.MAX_VALUE : most;
        this.mostPerAddress = mostPerAddress;
    }

    public int open() {
        return open.get();
    }

    @Override
    public boolean hasRoom(SocketAddress client) {
        if (open.get() >= most) {
            refused();
            return false;
        }
        if (!isCounted(client) || perAddress.getOrDefault(owner(client), 0) < mostPerAddress) return true;
        refused(client);
        return false;
    }

    @Override
    public boolean take(SocketAddress client) {
        if (!takeOne()) {
            refused();
            return false;
        }
        if (!isCounted(client) || takeOneOf(client)) return true;
        open.decrementAndGet();
        refused(client);
        return false;
    }

    private boolean takeOne() {
        int now = open.get();
        while (now < most && !open.compareAndSet(now, now + 1)) now = open.get();
        return now < most;
    }

    private boolean takeOneOf(SocketAddress client) {
        var isTaken = new boolean[1];
        perAddress.compute(owner(client), (_, count) -> {
            int now = count == null ? 0 : count;
            isTaken[0] = now < mostPerAddress;
            return isTaken[0] ? Integer.valueOf(now + 1) : count;
        });
        return isTaken[0];
    }

    @Override
    public void give(SocketAddress client) {
        int left = open.decrementAndGet();
        assert left >= 0 : "a place of " + whose + " was given back more often than taken";
        if (isCounted(client))
            perAddress.computeIfPresent(owner(client), (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    private boolean isCounted(SocketAddress client) {
        return mostPerAddress > 0 && client instanceof InetSocketAddress;
    }

    private static Long owner(SocketAddress client) {
        return AddressOwner.of(((InetSocketAddress) client).getAddress());
    }

    private void refused() {
        ProxyGuards.WEBSOCKETS.acted(whose, "all " + most + " are open");
    }

    private void refused(SocketAddress client) {
        ProxyGuards.WEBSOCKETS_PER_ADDRESS.acted(client, "more than " + mostPerAddress + " of one address");
    }
}
