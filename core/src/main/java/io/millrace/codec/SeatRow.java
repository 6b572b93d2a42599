package io.millrace.codec;

import io.millrace.loop.Encoding;
import io.millrace.loop.Recipient;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The members on one loop that get the same frames, in the order of joining; the loop's.
///
/// Who leaves makes a hole, so that a broadcast can go on; [#compact] closes the holes between broadcasts.
final class SeatRow<M> {
    private static final int MOST_HOLES = 16;

    final Encoding<M> encoding;

    /// The recipients beside their seats: a broadcast reads nothing else.
    private @Nullable Recipient[] recipients = new Recipient[4];

    private @Nullable Seat<M>[] seats = seats(4);
    private int end;
    private int holes;

    SeatRow(Encoding<M> encoding) {
        this.encoding = encoding;
    }

    @SuppressWarnings("unchecked") // only seats of M are put there
    private static <M> @Nullable Seat<M>[] seats(int count) {
        return (@Nullable Seat<M>[]) new Seat<?>[count];
    }

    /// The end of the indices.
    int end() {
        return end;
    }

    int size() {
        return end - holes;
    }

    /// Who sits there; null for a hole.
    @Nullable
    Recipient recipient(int index) {
        return recipients[index];
    }

    @Nullable
    Seat<M> seat(int index) {
        return seats[index];
    }

    void add(Seat<M> seat) {
        if (end == seats.length) {
            recipients = Arrays.copyOf(recipients, 2 * end);
            seats = Arrays.copyOf(seats, 2 * end);
        }
        seat.index = end;
        recipients[end] = seat.recipient;
        seats[end++] = seat;
    }

    void remove(Seat<M> seat) {
        recipients[seat.index] = null;
        seats[seat.index] = null;
        seat.index = -1;
        holes++;
    }

    /// Closes the holes, if there are many. Not during a broadcast.
    void compact() {
        if (holes < MOST_HOLES || holes < end / 2) return;
        int all = end;
        var old = seats;
        end = 0;
        holes = 0;
        seats = seats(Math.max(4, old.length / 2));
        recipients = new Recipient[seats.length];
        for (int i = 0; i < all; i++) {
            var seat = old[i];
            if (seat != null) add(seat);
        }
    }
}
