package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/// Blocks of fields, on one connection: the same fields as another decoder finds, or both refuse; whoever wants no
/// more keeps the same table; and what is encoded again is decoded to the same by both.
///
/// The input is blocks, a byte for their length before each; [#SETTING] in its place, and a byte, is a setting that
/// the peer has acknowledged.
///
/// ```
///   4 │ 82 86 84 be │ 255 8 │ 2 │ 3f e1 …
///   a block           256     a block, cut off
/// ```
public final class FuzzHpack {
    private static final int SETTING = 0xff;
    private static final int UNIT_BYTES = 32;

    /// What we refuse although the other decoder does not. RFC 7541 allows both: section 4.2 knows two sizes, and
    /// section 5.1 wants limits for integers.
    private static final Set<String> STRICTER = Set.of(HpackDecoder.THIRD_SIZE, HpackScratch.LONG_INTEGER);

    private final HpackPeer ours = new HpackPeer(4096);
    private final HpackPeer impatient = new HpackPeer(4096);
    private final OtherHpack other = new OtherHpack();

    /// What was encoded again.
    private final HpackEncoder encoder = new HpackEncoder();

    private final HpackPeer oursAgain = new HpackPeer(4096);
    private final OtherHpack otherAgain = new OtherHpack();
    private final HpackBlock out = new HpackBlock();

    private FuzzHpack() {}

    public static void fuzzerTestOneInput(byte[] input) throws HpackError {
        var connection = new FuzzHpack();
        boolean isGood = true;
        boolean mayChange = true;
        for (int at = 0; at + 1 < input.length && isGood; ) {
            int length = input[at++] & 0xff;
            if (length == SETTING) {
                // One between two blocks: of several, the other decoder forgets the smallest.
                if (mayChange) connection.acknowledged(UNIT_BYTES * (input[at] & 0xff));
                mayChange = false;
                at++;
            } else if (length > 0) {
                int to = Math.min(input.length, at + length);
                isGood = connection.isGood(Arrays.copyOfRange(input, at, to));
                mayChange = true;
                at = to;
            }
        }
    }

    private void acknowledged(int mostTableBytes) {
        ours.decoder.acknowledged(mostTableBytes);
        impatient.decoder.acknowledged(mostTableBytes);
        other.acknowledged(mostTableBytes);
        encoder.tableLimit(mostTableBytes);
        oursAgain.decoder.acknowledged(mostTableBytes);
        otherAgain.acknowledged(mostTableBytes);
    }

    /// @return whether the block was good, and the connection goes on
    private boolean isGood(byte[] block) throws HpackError {
        List<HpackField> fields;
        try {
            fields = ours.decodeFields(block);
        } catch (HpackError e) {
            if (!STRICTER.contains(e.getMessage()))
                assertEquals(OtherHpack.REFUSED, other.decode(block), e.getMessage());
            return false;
        }
        assertEquals(OtherHpack.inOrder(fields), other.decode(block));
        assertImpatient(block, fields);
        assertEncodedAgain(fields);
        return true;
    }

    private void assertImpatient(byte[] block, List<HpackField> fields) throws HpackError {
        int wanted = 1 + block.length % 3;
        var found = new ArrayList<String>();
        impatient.decode(block, field -> {
            found.add(field.toString());
            return found.size() < wanted;
        });
        var first = fields.subList(0, Math.min(wanted, fields.size()));
        assertEquals(first.stream().map(HpackField::toString).toList(), found);
        assertEquals(ours.decoder.bytes(), impatient.decoder.bytes());
    }

    private void assertEncodedAgain(List<HpackField> fields) throws HpackError {
        var valid =
                fields.stream().filter(field -> field.kind != FieldKind.INVALID).toList();
        out.clear();
        encoder.begin(out);
        for (var field : valid) encoder.field(field.name, field.value, out);
        var block = Arrays.copyOf(out.bytes, out.length);
        assertEquals(valid.stream().map(HpackField::toString).toList(), oursAgain.decode(block));
        if (block.length > 0) assertEquals(OtherHpack.inOrder(valid), otherAgain.decode(block));
    }
}
