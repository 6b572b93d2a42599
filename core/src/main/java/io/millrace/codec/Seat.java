package io.millrace.codec;

import io.millrace.loop.Encoding;
import io.millrace.loop.Recipient;
import java.util.Optional;

/// A membership, from a join to the leave or the end of the connection.
final class Seat<M> {
    final Recipient recipient;
    final Encoding<M> encoding;
    final Optional<String> user;
    final GroupLoop<M> place;

    /// In its [SeatRow], or −1; the loop's.
    int index = -1;

    /// It is over, perhaps before it has begun; the loop's.
    boolean hasLeft;

    Seat(Recipient recipient, Encoding<M> encoding, Optional<String> user, GroupLoop<M> place) {
        this.recipient = recipient;
        this.encoding = encoding;
        this.user = user;
        this.place = place;
    }
}
