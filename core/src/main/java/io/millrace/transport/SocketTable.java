package io.millrace.transport;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The sockets of one transport by number: the index of a slot in the low [Transport#INDEX_BITS] bits, the
/// generation of its occupant above. The loop's thread only.
///
/// A number is positive, so that 0 and negative ones are free for other uses and widening one to a completion's
/// `long` needs no mask. Slots are reused in the order in which they became free, and a quarter of them is
/// always free: a number is reused only after tens of thousands of others, when its old meaning is forgotten.
/// Only a table that has grown to [Transport#INDICES] slots fills up completely.
public final class SocketTable<T> {
    private static final int FIRST_PLACES = 64;

    private @Nullable T[] entries = places(0);

    /// For each slot the number of its current or last occupant.
    private int[] numbers = new int[0];

    /// A ring of the free slots; the one that became free first is at `freeHead`.
    private int[] free = new int[0];

    private int freeHead;
    private int freeCount;

    /// Gives an entry a number.
    ///
    /// @throws IOException when all numbers are in use
    public int add(T entry) throws IOException {
        if (freeCount <= numbers.length / 4) grow();
        if (freeCount == 0) {
            throw new IOException("an event loop holds at most " + Transport.INDICES
                    + " sockets: close some, or run more event loops");
        }
        int index = free[freeHead];
        freeHead = (freeHead + 1) % free.length;
        freeCount--;
        numbers[index] = next(numbers[index], index);
        entries[index] = entry;
        return numbers[index];
    }

    /// The entry of that number, or null when it was removed.
    public @Nullable T get(int socket) {
        int index = Transport.index(socket);
        return index < numbers.length && numbers[index] == socket ? entries[index] : null;
    }

    /// Takes an entry out; null when it was removed before.
    public @Nullable T remove(int socket) {
        var entry = get(socket);
        if (entry == null) return null;
        int index = Transport.index(socket);
        entries[index] = null;
        free[(freeHead + freeCount) % free.length] = index;
        freeCount++;
        return entry;
    }

    public int size() {
        return numbers.length - freeCount;
    }

    /// Passes every entry to an action, which may remove it.
    public void forEach(Consumer<? super T> action) {
        for (var entry : entries) {
            if (entry != null) action.accept(entry);
        }
    }

    private static int next(int number, int index) {
        int next = number + Transport.INDICES;
        return next > 0 ? next : index + Transport.INDICES;
    }

    private void grow() {
        int before = numbers.length;
        int after = Math.min(Math.max(2 * before, FIRST_PLACES), Transport.INDICES);
        if (after == before) return;
        var grown = new int[after];
        for (int i = 0; i < freeCount; i++) grown[i] = free[(freeHead + i) % before];
        free = grown;
        freeHead = 0;
        entries = Arrays.copyOf(entries, after);
        numbers = Arrays.copyOf(numbers, after);
        for (int index = before; index < after; index++) {
            numbers[index] = index;
            free[freeCount++] = index;
        }
    }

    @SuppressWarnings("unchecked") // the array never leaves this class
    private static <T> @Nullable T[] places(int count) {
        return (T[]) new Object[count];
    }
}
