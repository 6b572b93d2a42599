package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SocketTableTest {
    private final SocketTable<Integer> table = new SocketTable<>();

    @Test
    void an_empty_table_knows_no_number() {
        assertNull(table.get(0));
        assertNull(table.get(17));
        assertNull(table.get(-1));
        assertNull(table.remove(Transport.INDICES));
    }

    @Test
    void a_number_names_its_entry_until_it_is_removed() throws IOException {
        int socket = table.add(7);
        assertEquals(7, table.get(socket));
        assertEquals(7, table.remove(socket));
        assertNull(table.get(socket));
        assertNull(table.remove(socket));
        assertEquals(0, table.size());
    }

    @Test
    void a_place_has_another_number_for_its_next_occupant() throws IOException {
        int first = table.add(1);
        table.remove(first);
        int second = table.add(2);
        while (Transport.index(second) != Transport.index(first)) {
            table.remove(second);
            second = table.add(2);
        }
        assertNotEquals(first, second);
        assertNull(table.get(first));
        assertEquals(2, table.get(second));
    }

    @Test
    void a_number_does_not_come_back_soon_and_is_always_positive() throws IOException {
        var seen = new HashSet<Integer>();
        for (int i = 0; i < 30_000; i++) {
            int socket = table.add(i);
            assertTrue(socket > 0);
            assertTrue(seen.add(socket));
            table.remove(socket);
        }
    }

    @Test
    void generations_begin_again_after_the_last_one() throws IOException {
        for (int i = 0; i < 300_000; i++) {
            int socket = table.add(i);
            assertTrue(socket > 0);
            assertEquals(i, table.get(socket));
            table.remove(socket);
        }
    }

    @Test
    void growing_keeps_every_entry() throws IOException {
        var random = new Random(1);
        var expected = new HashMap<Integer, Integer>();
        for (int i = 0; i < 20_000; i++) {
            expected.put(table.add(i), i);
            if (random.nextInt(3) > 0) continue;
            int gone = expected.keySet().iterator().next();
            assertEquals(expected.remove(gone), table.remove(gone));
        }
        assertEquals(expected.size(), table.size());
        for (var entry : expected.entrySet()) assertEquals(entry.getValue(), table.get(entry.getKey()));
    }

    @Test
    void every_entry_is_shown_and_may_be_removed_then() throws IOException {
        var shown = new HashSet<Integer>();
        var sockets = new int[100];
        for (int i = 0; i < 100; i++) sockets[i] = table.add(i);
        table.forEach(entry -> {
            shown.add(entry);
            table.remove(sockets[entry]);
        });
        assertEquals(100, shown.size());
        assertEquals(0, table.size());
    }

    @Test
    void a_full_table_says_how_many_sockets_there_may_be() throws IOException {
        for (int i = 0; i < Transport.INDICES; i++) table.add(i);
        var thrown = assertThrows(IOException.class, () -> table.add(-1));
        TwoHosts.assertMentions(thrown.getMessage(), "1048576");
        assertEquals(Transport.INDICES, table.size());
    }
}
