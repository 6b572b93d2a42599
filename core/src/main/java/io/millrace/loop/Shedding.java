package io.millrace.loop;

import java.util.ArrayList;
import java.util.Comparator;

/// Makes room when the process is out of descriptors: closes some connections that are [Expendable], those first
/// to which nothing was sent for the longest time, however much they have sent themselves. Who has just come has
/// a quarter of a second to ask for something; a connection counts as if it had been sent something a second
/// before it opened.
final class Shedding {
    private static final int MOST = 64;
    private static final long LEAST_NANOS = 1_250_000_000;

    private Shedding() {}

    /// By the loop's thread.
    ///
    /// @return how many were closed
    static int shed(EventLoop loop) {
        long latest = loop.nowNanos() - LEAST_NANOS;
        var expendable = new ArrayList<TcpConnection>();
        loop.forEachOwner(owner -> {
            if (!(owner instanceof TcpConnection connection) || !isExpendable(connection)) return;
            if (connection.outgoing.lastSentNanos() - latest <= 0) expendable.add(connection);
        });
        expendable.sort(Comparator.comparingLong(connection -> connection.outgoing.lastSentNanos() - latest));
        int count = Math.min(MOST, expendable.size());
        for (var connection : expendable.subList(0, count)) connection.close();
        return count;
    }

    private static boolean isExpendable(TcpConnection connection) {
        var style = connection.style();
        return connection.state() == TcpConnection.State.OPEN
                && !connection.isLent()
                && !connection.outgoing.isSending()
                && style != null
                && style.isExpendable();
    }
}
