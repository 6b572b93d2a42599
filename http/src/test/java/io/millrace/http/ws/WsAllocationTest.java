package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.masked;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import io.millrace.testing.AllocatedBytes;
import org.junit.jupiter.api.Test;

/// What reading costs beside the values that are passed on.
class WsAllocationTest {
    private static final int MESSAGES = 20_000;

    private final SlabPool pool = new SlabPool(16 << 20, true);
    private final LoopOutput out = LoopOutput.aside(pool);
    private final LoopInput in = new LoopInput(pool);
    private final byte[] frame = masked(RawFrame.FIN | WsCodes.TEXT, "a text that is read, and not kept: äöü");
    private final WsReader reader = new WsReader(WsLimits.standard(), true, null, new Dropped(), 0);
    private int parts;

    private final class Dropped implements WsSink {
        @Override
        public void part(boolean isText, LoopInput part, boolean isLast) {
            parts++;
        }

        @Override
        public void ping(Bytes payload) {}

        @Override
        public void pong(Bytes payload) {}

        @Override
        public void close(int code, String reason) {}
    }

    @Test
    void a_part_of_a_message_is_passed_on_without_an_allocation() throws WsError {
        for (int i = 0; i < MESSAGES; i++) read();
        long before = AllocatedBytes.now();
        for (int i = 0; i < MESSAGES; i++) read();
        double bytes = (AllocatedBytes.now() - before) / (double) MESSAGES;
        assertTrue(bytes < 1, bytes + " bytes a message");
        assertEquals(2 * MESSAGES, parts);
        assertEquals(0, pool.bytesOut());
    }

    private void read() throws WsError {
        out.write(frame, 0, frame.length);
        in.endLoan(pool);
        in.appendAll(out);
        in.lend(pool);
        while (reader.next(in, pool, 0)) {
            // The next one.
        }
    }
}
