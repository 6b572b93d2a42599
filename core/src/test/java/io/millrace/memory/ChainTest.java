package io.millrace.memory;

import static io.millrace.memory.Arrivals.count;
import static io.millrace.memory.Arrivals.head;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ChainTest {
    private final SlabPool pool = new SlabPool(4 << 20, true);

    private Chain chain(int length, int... cuts) {
        return Arrivals.chain(pool, count(length), cuts);
    }

    @Test
    void an_empty_chain_has_nothing() {
        var chain = new Chain();
        assertTrue(chain.isEmpty());
        assertNull(chain.head());
        assertEquals(0, chain.size());
        assertEquals(0, chain.count());
        chain.releaseAll(Slab.Owner.INPUT, pool);
        chain.drop(0, Slab.Owner.INPUT, pool);
    }

    @Test
    void slabs_keep_their_order() {
        var chain = chain(100, 10, 60);
        assertEquals(100, chain.size());
        assertEquals(3, chain.count());
        assertArrayEquals(count(100), Arrivals.bytes(chain));
    }

    @Test
    void appending_a_chain_empties_it() {
        var chain = chain(100, 10);
        var more = chain(50, 20);
        chain.appendAll(more);
        assertTrue(more.isEmpty());
        assertEquals(0, more.count());
        assertEquals(150, chain.size());
        assertEquals(4, chain.count());
        more.append(chain.removeHead());
        assertEquals(10, more.size());
    }

    @Test
    void appending_an_empty_chain_changes_nothing() {
        var chain = chain(100);
        chain.appendAll(new Chain());
        assertEquals(100, chain.size());
        var empty = new Chain();
        empty.appendAll(chain);
        assertEquals(1, empty.count());
    }

    @Test
    void dropping_gives_back_the_slabs_it_empties() {
        var chain = chain(100, 10, 60);
        chain.drop(40, Slab.Owner.INPUT, pool);
        assertEquals(2, pool.missing());
        assertEquals(60, chain.size());
        assertEquals(30, head(chain).start);
        chain.drop(60, Slab.Owner.INPUT, pool);
        assertTrue(chain.isEmpty());
        assertEquals(0, pool.missing());
    }

    @Test
    void more_than_there_is_cannot_be_dropped() {
        var chain = chain(100, 10, 60);
        assertThrows(IllegalStateException.class, () -> chain.drop(101, Slab.Owner.INPUT, pool));
        assertEquals(100, chain.size());
    }

    @Test
    void a_removed_slab_stands_alone() {
        var chain = chain(100, 10);
        var first = head(chain);
        assertSame(first, chain.removeHead());
        assertNull(first.next());
        assertEquals(90, chain.size());
        chain.removeHead();
        assertTrue(chain.isEmpty());
        assertNull(chain.tail());
        assertThrows(IllegalStateException.class, chain::removeHead);
    }

    @Test
    void releasing_gives_every_slab_back() {
        var chain = chain(100, 10, 60);
        chain.releaseAll(Slab.Owner.INPUT, pool);
        assertTrue(chain.isEmpty());
        assertEquals(0, chain.size());
        assertEquals(0, pool.missing());
    }

    @Test
    void passing_passes_every_slab() {
        var chain = chain(100, 10, 60);
        chain.pass(Slab.Owner.INPUT, Slab.Owner.OUTPUT);
        for (var slab : Arrivals.slabs(chain)) assertEquals(Slab.Owner.OUTPUT, slab.owner());
        assertThrows(IllegalStateException.class, () -> chain.pass(Slab.Owner.INPUT, Slab.Owner.KERNEL));
    }

    @Test
    void an_arrival_that_is_copied_goes_home() {
        var chain = chain(100);
        chain.appendArrival(Arrivals.received(pool, (byte) 1), Slab.Owner.KERNEL, pool);
        assertEquals(1, pool.missing());
        assertEquals(101, chain.size());
        assertEquals(1, chain.count());
    }
}
