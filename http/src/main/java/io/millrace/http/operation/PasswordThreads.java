package io.millrace.http.operation;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.AddressOwner;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Threads that check passwords, in order of arrival. No client has more than a few checks in progress, so
/// that no client waits long for another's. Any thread.
final class PasswordThreads {
    /// Checks in progress, waiting ones included.
    static final int MOST = 64;

    /// The most of one client: an address, or a /64 network of IPv6.
    static final int SHARE = 4;

    static final PasswordThreads SHARED = new PasswordThreads(threads());

    private final Executor threads;

    // Guarded by this.

    private final Map<Long, Integer> underWay = new HashMap<>();
    private int all;

    PasswordThreads(Executor threads) {
        this.threads = threads;
    }

    private static Executor threads() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        var threads = new ThreadPoolExecutor(
                count,
                count,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon(true).name("millrace-passwords-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /// Whether a check has begun.
    enum CheckPlace {
        BEGUN,
        /// Too many of this client are in progress.
        SHARE_IS_USED,
        /// Too many of all clients are in progress.
        ALL_ARE_TAKEN
    }

    /// Begins a check, or refuses it.
    CheckPlace begin(SocketAddress client, Runnable check) {
        long owner = owner(client);
        var place = enter(owner);
        switch (place) {
            case BEGUN -> execute(owner, check);
            case SHARE_IS_USED ->
                HttpGuards.BASIC_AUTH_SHARE.acted(client, "more than " + SHARE + " of its passwords wait");
            case ALL_ARE_TAKEN ->
                HttpGuards.BASIC_AUTH.acted(client, "more than " + MOST + " passwords wait to be checked");
        }
        return place;
    }

    /// The system may have no thread for it.
    private void execute(long owner, Runnable check) {
        try {
            threads.execute(() -> run(owner, check));
        } catch (RuntimeException | Error e) {
            leave(owner);
            throw e;
        }
    }

    private synchronized CheckPlace enter(long owner) {
        if (underWay.getOrDefault(owner, 0) >= SHARE) return CheckPlace.SHARE_IS_USED;
        if (all >= MOST) return CheckPlace.ALL_ARE_TAKEN;
        underWay.merge(owner, 1, Integer::sum);
        all++;
        return CheckPlace.BEGUN;
    }

    private void run(long owner, Runnable check) {
        try {
            check.run();
        } finally {
            leave(owner);
        }
    }

    private synchronized void leave(long owner) {
        all--;
        underWay.computeIfPresent(owner, (_, count) -> count == 1 ? null : count - 1);
    }

    /// All clients without an address count as one.
    private static long owner(SocketAddress client) {
        return client instanceof InetSocketAddress at ? AddressOwner.of(at.getAddress()) : -1;
    }
}
