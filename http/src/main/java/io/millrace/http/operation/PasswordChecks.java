package io.millrace.http.operation;

import io.millrace.http.grammar.HttpGuards;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Checks passwords, which is slow on purpose: on a few threads of its own, a few at a time, and a few of
/// each client. A password that was right is remembered, as a hash whose key dies with this object. Any
/// thread.
public final class PasswordChecks {
    private static final long ONE_SECOND_NANOS = 1_000_000_000;

    /// Wrong passwords that a client may send at once.
    static final int MISTAKES = 10;

    /// Time until it may send another one.
    static final long MISTAKE_NANOS = 10 * ONE_SECOND_NANOS;

    /// Clients whose mistakes are remembered.
    private static final int CLIENTS = 10_000;

    private static final PasswordVerdict WRONG = new PasswordVerdict.Checked(CompletableFuture.completedFuture(false));
    private static final PasswordVerdict RIGHT = new PasswordVerdict.Checked(CompletableFuture.completedFuture(true));

    private final Map<String, Predicate<char[]>> users;
    private final PasswordThreads threads;
    private final RequestRate mistakes;
    private final SecretHash secret = new SecretHash();

    /// By user, the hash of the right password.
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();

    /// By user, the hash of a recent wrong password.
    private final Map<String, byte[]> wrong = new ConcurrentHashMap<>();

    /// Checks in progress, so that the same one does not run twice at a time.
    private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

    /// @param users by name, a check of the password; it may take a while
    public PasswordChecks(Map<String, Predicate<char[]>> users) {
        this(users, PasswordThreads.SHARED, System::nanoTime);
    }

    PasswordChecks(Map<String, Predicate<char[]>> users, PasswordThreads threads, LongSupplier nanoClock) {
        this.users = Map.copyOf(users);
        this.threads = threads;
        this.mistakes = new RequestRate(MISTAKE_NANOS, MISTAKES, CLIENTS, nanoClock);
    }

    /// The verdict on credentials.
    public sealed interface PasswordVerdict {
        /// Whether they are right, now or later.
        record Checked(CompletableFuture<Boolean> isRight) implements PasswordVerdict {}

        /// They are not checked now.
        ///
        /// @param status 429 or 503
        /// @param seconds after which they may be sent again
        record Refused(int status, long seconds) implements PasswordVerdict {}
    }

    /// A check to run.
    ///
    /// @param user as the client claims
    /// @param hash of name and password
    @SuppressWarnings("ArrayRecordComponent") // never modified
    private record Check(String user, String password, byte[] hash) {}

    /// Whether an `Authorization` field is right.
    public PasswordVerdict check(String field, SocketAddress client) {
        var credentials = Credentials.parse(field);
        if (credentials.isEmpty()) return WRONG;
        var user = credentials.get().user();
        var password = credentials.get().password();
        // A user name contains no colon.
        var check = new Check(user, password, secret.of(user + ":" + password));
        if (isIn(known, check)) return RIGHT;
        if (isIn(wrong, check)) return WRONG;
        long wait = mistakes.waitNanos(client);
        return wait > 0 ? tooManyMistakes(client, wait) : begin(check, client);
    }

    private static boolean isIn(Map<String, byte[]> hashes, Check check) {
        var hash = hashes.get(check.user);
        return hash != null && MessageDigest.isEqual(hash, check.hash);
    }

    private static PasswordVerdict tooManyMistakes(SocketAddress client, long waitNanos) {
        HttpGuards.BASIC_AUTH_MISTAKES.acted(client, MISTAKES + " wrong passwords, and another one");
        return new PasswordVerdict.Refused(429, (waitNanos + ONE_SECOND_NANOS - 1) / ONE_SECOND_NANOS);
    }

    /// One at a time, so that no call finds a check that is just being refused.
    private synchronized PasswordVerdict begin(Check check, SocketAddress client) {
        var name = HexFormat.of().formatHex(check.hash);
        var mine = new CompletableFuture<Boolean>();
        var other = underWay.putIfAbsent(name, mine);
        if (other != null) return new PasswordVerdict.Checked(other);
        try {
            return switch (threads.begin(client, () -> finish(client, name, check, mine))) {
                case BEGUN -> new PasswordVerdict.Checked(mine);
                case SHARE_IS_USED -> refused(429, name);
                case ALL_ARE_TAKEN -> refused(503, name);
            };
        } catch (RuntimeException | Error e) {
            underWay.remove(name);
            throw e;
        }
    }

    private PasswordVerdict refused(int status, String name) {
        underWay.remove(name);
        return new PasswordVerdict.Refused(status, 1);
    }

    private void finish(SocketAddress client, String name, Check check, CompletableFuture<Boolean> to) {
        boolean isRight = false;
        try {
            isRight = isRight(check);
            if (isRight) known.put(check.user, check.hash);
            else mistaken(check, client);
        } finally {
            underWay.remove(name);
            to.complete(isRight);
        }
    }

    /// A program that repeats an old password makes one mistake.
    private void mistaken(Check check, SocketAddress client) {
        mistakes.take(client);
        if (users.containsKey(check.user)) wrong.put(check.user, check.hash);
    }

    /// For an unknown user it is as slow as for others.
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
