package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import org.junit.jupiter.api.Test;

class SlabTest {
    private final SlabPool pool = new SlabPool(4 << 20, true);
    private final Slab slab = pool.take(false, Slab.Owner.INPUT);

    @Test
    void it_passes_from_owner_to_owner() {
        slab.pass(Slab.Owner.INPUT, Slab.Owner.OUTPUT);
        slab.pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        assertEquals(Slab.Owner.KERNEL, slab.owner());
    }

    @Test
    void it_cannot_pass_from_somebody_who_does_not_own_it() {
        var mistake = assertThrows(IllegalStateException.class, () -> slab.pass(Slab.Owner.KERNEL, Slab.Owner.OUTPUT));
        assertEquals(
                "a slab of INPUT cannot pass from KERNEL to OUTPUT: it was used by two threads", mistake.getMessage());
        assertEquals(Slab.Owner.INPUT, slab.owner());
    }

    @Test
    void it_cannot_be_given_by_somebody_who_does_not_own_it() {
        assertThrows(IllegalStateException.class, () -> pool.give(slab, Slab.Owner.OUTPUT));
        assertThrows(IllegalStateException.class, () -> pool.reserve().give(slab, Slab.Owner.OUTPUT));
        assertEquals(1, pool.missing());
    }

    @Test
    void it_cannot_be_given_twice() {
        pool.give(slab, Slab.Owner.INPUT);
        assertThrows(IllegalStateException.class, () -> pool.give(slab, Slab.Owner.INPUT));
        assertThrows(IllegalStateException.class, () -> pool.reserve().give(slab, Slab.Owner.INPUT));
        assertEquals(0, pool.missing());
    }

    @Test
    void it_cannot_be_in_two_chains() {
        var one = new Chain();
        one.append(slab);
        one.append(pool.take(false, Slab.Owner.INPUT));
        assertThrows(IllegalStateException.class, () -> new Chain().append(slab));
    }

    @Test
    void it_cannot_be_given_while_it_is_in_a_chain() {
        var chain = new Chain();
        chain.append(slab);
        chain.append(pool.take(false, Slab.Owner.INPUT));
        assertThrows(IllegalStateException.class, () -> pool.give(slab, Slab.Owner.INPUT));
    }

    @Test
    void it_is_empty_when_it_is_taken() {
        slab.end = 10;
        slab.start = 5;
        pool.give(slab, Slab.Owner.INPUT);
        assertSame(slab, pool.take(false, Slab.Owner.OUTPUT));
        assertEquals(0, slab.readable());
        assertEquals(SlabPool.SMALL, slab.room());
    }

    @Test
    void its_view_is_its_memory() {
        slab.view().put(3, (byte) 7);
        assertEquals(7, slab.memory.get(ValueLayout.JAVA_BYTE, 3));
        assertSame(slab.view(), slab.view());
        assertEquals(slab.capacity(), slab.view().capacity());
    }

    @Test
    void it_is_filled_by_copying_where_the_jvm_keeps_memory_to_itself() throws IOException {
        var channel = Channels.newChannel(new ByteArrayInputStream(Arrivals.count(100)));
        assertEquals(60, slab.fillByCopy(channel, 60));
        assertArrayEquals(Arrivals.count(60), slab.memory.asSlice(0, slab.end).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void the_kernel_gets_no_address_of_what_is_not_there() {
        for (int[] bounds : new int[][] {{-1, 5}, {6, 5}, {0, SlabPool.SMALL + 1}}) {
            slab.start = bounds[0];
            slab.end = bounds[1];
            assertThrows(IllegalStateException.class, slab::readAddress);
        }
        slab.start = SlabPool.SMALL;
        slab.end = SlabPool.SMALL;
        assertEquals(slab.writeAddress() + SlabPool.SMALL, slab.readAddress());
    }

    @Test
    void the_kernel_gets_no_address_of_bytes_on_the_heap() {
        assertThrows(
                IllegalStateException.class, Slab.referringTo(Bytes.of((byte) 1).segment())::readAddress);
    }

    @Test
    void the_kernel_does_not_write_into_a_value() {
        assertThrows(
                IllegalStateException.class,
                Slab.referringTo(Bytes.of(new byte[100_000]).segment())::writeAddress);
    }

    @Test
    void a_reference_is_the_memory_of_its_value() {
        var value = Bytes.of(Arrivals.count(50_000));
        var reference = Slab.referringTo(value.segment());
        assertEquals(value.segment().address(), reference.readAddress());
        assertEquals(50_000, reference.readable());
        assertEquals(0, reference.room());
        assertEquals(Slab.Owner.OUTPUT, reference.owner());
    }

    @Test
    void a_reference_cannot_be_written() {
        ByteBuffer view = Slab.referringTo(Bytes.of(new byte[50_000]).segment()).view();
        assertTrue(view.isDirect());
        assertTrue(view.isReadOnly());
    }

    @Test
    void a_reference_is_forgotten_when_it_is_given() {
        var reference = Slab.referringTo(Bytes.of(new byte[50_000]).segment());
        pool.give(reference, Slab.Owner.OUTPUT);
        pool.reserve().give(reference, Slab.Owner.OUTPUT);
        assertEquals(1, pool.missing());
        assertFalse(reference.isSmall());
    }
}
