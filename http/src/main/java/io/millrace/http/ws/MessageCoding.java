package io.millrace.http.ws;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The compression of one connection's messages, from the handshake on. [#release] gives back what it has, and
/// must be called however the connection ends, also if the handshake fails after this.
///
/// ```
///   server: accept(offers) ─► text, for the answer ─┐
///   client: offer ─► text ─► accepted(answer) ──────┴─► inflater, deflater ─► release
/// ```
public final class MessageCoding {
    /// Of all connections of servers that keep nothing between messages.
    private static final MessageCoding FORGETS =
            new MessageCoding(Deflation.FORGETS, DeflateWindows.NONE, false, WsLimits.standard());

    private final DeflateWindows windows;
    private final WsLimits limits;
    private boolean hasWindow;
    private Deflation agreed;
    private MessageInflater inflater;
    private MessageDeflater deflater;

    private MessageCoding(Deflation agreed, DeflateWindows windows, boolean hasWindow, WsLimits limits) {
        this.windows = windows;
        this.hasWindow = hasWindow;
        this.limits = limits;
        this.agreed = agreed;
        this.inflater = new MessageInflater(agreed.peerKeeps());
        this.deflater = new MessageDeflater(agreed.weKeep(), limits.leastPackedBytes());
        giveUnused();
    }

    private void giveUnused() {
        if (hasWindow && !agreed.keeps()) giveWindow();
    }

    private void giveWindow() {
        hasWindow = false;
        windows.give();
    }

    /// A server accepts one of a client's offers; nothing if there is none to accept.
    ///
    /// @param lines the values of `Sec-WebSocket-Extensions`
    /// @param peer for the guard
    /// @throws Refusal if they are malformed
    public static Optional<MessageCoding> accept(
            List<String> lines, DeflateWindows windows, WsLimits limits, Supplier<SocketAddress> peer) throws Refusal {
        if (lines.isEmpty()) return Optional.empty();
        boolean hasWindow = takeWindow(windows, peer);
        Optional<Deflation> agreed = Optional.empty();
        try {
            agreed = Deflation.accept(lines, hasWindow);
        } finally {
            if (agreed.isEmpty() && hasWindow) windows.give();
        }
        if (agreed.isEmpty()) return Optional.empty();
        if (!isUsual(agreed.get(), limits))
            return Optional.of(new MessageCoding(agreed.get(), windows, hasWindow, limits));
        if (hasWindow) windows.give();
        return Optional.of(FORGETS);
    }

    @SuppressWarnings("ReferenceEquality") // the object itself
    private static boolean isUsual(Deflation agreed, WsLimits limits) {
        return agreed == Deflation.FORGETS
                && limits.leastPackedBytes() == WsLimits.standard().leastPackedBytes();
    }

    /// Whether it is that of other connections, too.
    @SuppressWarnings("ReferenceEquality") // the object itself
    public boolean isShared() {
        return this == FORGETS;
    }

    /// A client offers it.
    ///
    /// @param peer for the guard
    public static MessageCoding offer(DeflateWindows windows, WsLimits limits, Supplier<SocketAddress> peer) {
        boolean hasWindow = takeWindow(windows, peer);
        return new MessageCoding(Deflation.offer(hasWindow), windows, hasWindow, limits);
    }

    private static boolean takeWindow(DeflateWindows windows, Supplier<SocketAddress> peer) {
        boolean isTaken = windows.take();
        if (!isTaken && windows.areAllowed())
            HttpGuards.WS_WINDOWS.acted(peer.get(), windows.most() + " connections keep windows: this one does not");
        return isTaken;
    }

    /// Of `Sec-WebSocket-Extensions`.
    public String text() {
        return agreed.text();
    }

    /// The server's answer to [#offer] has come.
    ///
    /// @return whether messages may be packed; otherwise this is released
    /// @throws Refusal if it accepts what was not offered; this is released
    public boolean accepted(List<String> lines) throws Refusal {
        Optional<Deflation> answer = Optional.empty();
        try {
            answer = agreed.accepted(lines);
        } finally {
            if (answer.isEmpty()) release();
        }
        if (answer.isEmpty()) return false;
        agreed = answer.get();
        inflater = new MessageInflater(agreed.peerKeeps());
        deflater = new MessageDeflater(agreed.weKeep(), limits.leastPackedBytes());
        giveUnused();
        return true;
    }

    public MessageInflater inflater() {
        return inflater;
    }

    public MessageDeflater deflater() {
        return deflater;
    }

    /// May be called several times, by the thread that reads and writes.
    public void release() {
        inflater.release();
        deflater.release();
        if (hasWindow) giveWindow();
    }
}
