package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.bytes.Bytes;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A frame that goes from socket to socket.
class SharedChainTest {
    private final SlabPool pool = new SlabPool(8 << 20, true);
    private final SharedChain shared = Objects.requireNonNull(SharedChain.of(Bytes.utf8("hello")));

    @AfterEach
    void release() {
        assertEquals(0, pool.missing());
        pool.release();
    }

    /// As a transport does that sends everything at once, or some of it first.
    private Slab send(int first) {
        var chain = shared.next();
        var slab = chain.head();
        assertNotNull(slab);
        assertEquals("hello", text(slab));
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        chain.drop(first, Slab.Owner.KERNEL, pool);
        chain.releaseAll(Slab.Owner.KERNEL, pool);
        return slab;
    }

    private static String text(Slab slab) {
        return new String(slab.memory.asSlice(slab.start, slab.readable()).toArray(JAVA_BYTE), UTF_8);
    }

    @Test
    void one_slab_is_sent_again_and_again() {
        var first = send(0);
        assertSame(first, send(2));
        assertSame(first, send(5));
        assertSame(first, send(0));
        assertEquals(5, shared.size());
    }

    @Test
    void what_the_transport_goes_on_sending_is_left_to_it() {
        var waiting = new Chain();
        var chain = shared.next();
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        waiting.appendAll(chain);
        shared.isTaken();
        var next = send(0);
        assertNotSame(waiting.head(), next);
        assertEquals(5, waiting.size());
        waiting.releaseAll(Slab.Owner.KERNEL, pool);
        assertSame(next, send(0));
    }
}
