package io.millrace.proxy.operation;

import io.millrace.loop.Guard;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Finds out whether passwords are right, which is slow on purpose: on a few threads of its own, for a few at a
/// time. Who was right once is remembered, as a hash whose key dies with this object. Any thread.
public final class PasswordChecks {
    private static final int MOST_WAITING = 64;
    private static final ExecutorService THREADS = threads();

    private final Map<String, Predicate<char[]>> users;
    private final SecretHash secret = new SecretHash();

    /// Of each user, the hash of what was right.
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();

    /// What is being checked, so that the same is not checked twice at a time.
    private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

    /// @param users whether a password is theirs; it may take a while
    public PasswordChecks(Map<String, Predicate<char[]>> users) {
        this.users = Map.copyOf(users);
    }

    private static ExecutorService threads() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        var threads = new ThreadPoolExecutor(
                count,
                count,
                10,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                Thread.ofPlatform().daemon(true).name("millrace-passwords-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /// A check to be made.
    ///
    /// @param user as somebody says
    /// @param hash of name and password
    @SuppressWarnings("ArrayRecordComponent") // nobody changes it
    private record Check(String user, String password, byte[] hash) {}

    /// Whether an `Authorization` field is right, now or later. An empty stage: too many wait already.
    public Optional<CompletableFuture<Boolean>> check(String field, SocketAddress peer) {
        var credentials = Credentials.parse(field);
        if (credentials.isEmpty()) return Optional.of(CompletableFuture.completedFuture(false));
        var user = credentials.get().user();
        var password = credentials.get().password();
        // A name has no colon.
        var check = new Check(user, password, secret.of(user + ":" + password));
        var right = known.get(user);
        if (right != null && MessageDigest.isEqual(right, check.hash)) {
            return Optional.of(CompletableFuture.completedFuture(true));
        }
        return begin(check, peer);
    }

    private Optional<CompletableFuture<Boolean>> begin(Check check, SocketAddress peer) {
        var name = HexFormat.of().formatHex(check.hash);
        var mine = new CompletableFuture<Boolean>();
        var other = underWay.putIfAbsent(name, mine);
        if (other != null) return Optional.of(other);
        try {
            THREADS.execute(() -> finish(name, check, mine));
            return Optional.of(mine);
        } catch (RejectedExecutionException e) {
            underWay.remove(name);
            mine.completeExceptionally(e);
            Guard.BASIC_AUTH.acted(peer, "more than " + MOST_WAITING + " passwords wait to be checked");
            return Optional.empty();
        }
    }

    private void finish(String name, Check check, CompletableFuture<Boolean> to) {
        boolean isRight = false;
        try {
            isRight = isRight(check);
            if (isRight) known.put(check.user, check.hash);
        } finally {
            underWay.remove(name);
            to.complete(isRight);
        }
    }

    /// Of a user that there is not, as slow as of others.
    private boolean isRight(Check check) {
        var user = users.get(check.user);
        var password = check.password.toCharArray();
        if (user != null) return user.test(password);
        for (var any : users.values()) {
            var _ = any.test(password);
            break;
        }
        return false;
    }
}
