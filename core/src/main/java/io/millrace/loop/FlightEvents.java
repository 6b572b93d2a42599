package io.millrace.loop;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// Millrace's flight recorder events; the recorder reads their fields itself.
@SuppressWarnings("UnusedVariable")
final class FlightEvents {
    private FlightEvents() {}

    /// Whether a recording runs. Only then the event classes are loaded, because that takes tens of milliseconds of
    /// each start.
    static boolean areOn() {
        return FlightRecorder.isInitialized();
    }

    @Name("io.millrace.Accepted")
    @Label("Connection Accepted")
    @Category("Millrace")
    @StackTrace(false)
    static final class AcceptedConnection extends Event {
        @Label("Peer")
        private final String peer;

        @Label("Loop")
        private final String loop;

        AcceptedConnection(String peer, String loop) {
            this.peer = peer;
            this.loop = loop;
        }
    }

    @Name("io.millrace.Closed")
    @Label("Connection Closed")
    @Category("Millrace")
    @StackTrace(false)
    static final class Closed extends Event {
        @Label("Peer")
        private final String peer;

        @Label("Cause")
        private final String cause;

        @Label("Bytes Received")
        @DataAmount
        private final long received;

        @Label("Bytes Sent")
        @DataAmount
        private final long sent;

        Closed(String peer, String cause, long received, long sent) {
            this.peer = peer;
            this.cause = cause;
            this.received = received;
            this.sent = sent;
        }
    }

    /// A turn that took longer than a millisecond.
    @Name("io.millrace.Turn")
    @Label("Long Turn")
    @Category("Millrace")
    @StackTrace(false)
    static final class Turn extends Event {
        @Label("Loop")
        private final String loop;

        @Label("Length")
        @Timespan
        private final long length;

        Turn(String loop, long length) {
            this.loop = loop;
            this.length = length;
        }
    }

    @Name("io.millrace.Stalled")
    @Label("Turn Stalled")
    @Category("Millrace")
    @StackTrace(false)
    static final class Stalled extends Event {
        @Label("Loop")
        private final String loop;

        @Label("So Far")
        @Timespan
        private final long length;

        @Label("Stack of What Keeps the Loop")
        private final String stack;

        Stalled(String loop, long length, String stack) {
            this.loop = loop;
            this.length = length;
            this.stack = stack;
        }
    }

    /// Sessions or handlers of the JDK's scheduler run on their loops from now on.
    @Name("io.millrace.LoopEarned")
    @Label("Loop Earned")
    @Category("Millrace")
    @StackTrace(false)
    static final class LoopEarned extends Event {
        @Label("Loop")
        private final String loop;

        @Label("What")
        private final String what;

        @Label("Time to Earn")
        @Timespan
        private final long length;

        LoopEarned(String loop, String what, long length) {
            this.loop = loop;
            this.what = what;
            this.length = length;
        }
    }

    @Name("io.millrace.GuardActed")
    @Label("Guard Acted")
    @Category("Millrace")
    @StackTrace(false)
    static final class GuardActed extends Event {
        @Label("Guard")
        private final String guard;

        @Label("Peer")
        private final String peer;

        @Label("Detail")
        private final String detail;

        GuardActed(String guard, String peer, String detail) {
            this.guard = guard;
            this.peer = peer;
            this.detail = detail;
        }
    }
}
