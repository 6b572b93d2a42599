package io.millrace.http.message;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The sides are on different threads: a sender may ask for more of a body that was closed a moment before.
class BodyPipeTest {
    private static final EventLoops LOOPS = EventLoops.configure().threads(1).start();

    private final EventLoop loop = (EventLoop) LOOPS.next();
    private final BodyPipe pipe = new BodyPipe(loop, () -> {});
    private final LoopOutput sent = aside();

    private LoopOutput aside() {
        return LoopOutput.aside(loop.pool().reserve());
    }

    private void put(String text) {
        var part = aside();
        part.write(Bytes.utf8(text));
        pipe.put(part);
    }

    @AfterEach
    void give() {
        sent.release();
    }

    @AfterAll
    static void close() {
        LOOPS.close();
    }

    @Test
    void a_body_that_is_closed_before_it_was_taken_does_not_seem_to_be_whole() {
        put("some of it");
        pipe.end(Headers.EMPTY);
        pipe.onClose();
        assertThrows(EOFException.class, () -> pipe.write(sent));
        assertEquals(Optional.empty(), pipe.takeWhole());
    }

    @Test
    void one_that_is_closed_before_its_end_does_not_end_there() throws IOException {
        put("some of it");
        pipe.write(sent);
        pipe.onClose();
        put("the rest");
        pipe.end(Headers.EMPTY);
        assertThrows(EOFException.class, () -> pipe.write(sent));
        assertEquals(Optional.empty(), pipe.takeWhole());
    }

    /// Another attempt takes it from the beginning.
    @Test
    void one_that_was_kept_and_is_closed_does_not_seem_to_be_empty() throws IOException {
        pipe.keep(1000);
        put("all of it");
        pipe.end(Headers.EMPTY);
        assertFalse(pipe.write(sent));
        pipe.rewind();
        pipe.onClose();
        assertThrows(EOFException.class, () -> pipe.write(sent));
    }

    @Test
    void one_that_was_kept_and_is_closed_cannot_be_sent_again() throws IOException {
        pipe.keep(1000);
        put("all of it");
        pipe.end(Headers.EMPTY);
        assertFalse(pipe.write(sent));
        pipe.onClose();
        pipe.rewind();
        assertThrows(EOFException.class, () -> pipe.write(sent));
    }

    /// Otherwise a backend seems to have failed.
    @Test
    void who_limits_a_body_hears_of_it_before_its_sender() throws IOException {
        var order = new ArrayList<String>();
        pipe.limit(9, () -> {
            order.add("limit");
            assertDoesNotThrow(() -> pipe.write(sent));
        });
        pipe.put(LoopInput.of(Bytes.utf8("some of it")), loop.pool());
        assertThrows(EOFException.class, () -> pipe.write(sent));
        assertEquals(List.of("limit"), order);
    }

    @Test
    void one_that_was_taken_is_whole_once_it_is_closed() throws IOException {
        put("all of it");
        pipe.end(Headers.EMPTY);
        assertFalse(pipe.write(sent));
        pipe.onClose();
        assertFalse(pipe.write(sent));
    }
}
