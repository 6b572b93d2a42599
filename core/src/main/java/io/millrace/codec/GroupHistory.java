package io.millrace.codec;

import io.millrace.loop.CoreGuards;
import io.millrace.loop.Encoding;
import java.util.ArrayDeque;
import java.util.List;

/// The last messages of a group. Guarded by the group.
final class GroupHistory<M> {
    private final int most;
    private final long mostBytes;
    private final ArrayDeque<Letter<M>> letters = new ArrayDeque<>();
    private long bytes;

    GroupHistory(GroupSettings settings) {
        this.most = settings.history();
        this.mostBytes = settings.historyBytes();
    }

    /// The last letters, the oldest first.
    List<Letter<M>> last(int count) {
        return letters.stream().skip(Math.max(0, letters.size() - count)).toList();
    }

    void add(Letter<M> letter) {
        letters.add(letter);
        count(letter);
        if (letters.size() > most) drop();
        trim();
    }

    private void count(Letter<M> letter) {
        letter.counted = letter.weight();
        bytes += letter.counted;
    }

    private void drop() {
        bytes -= letters.remove().counted;
    }

    private void trim() {
        if (bytes <= mostBytes) return;
        CoreGuards.GROUP_HISTORY.acted(
                "a group",
                "its last " + letters.size() + " messages take " + bytes + " bytes: the oldest are dropped "
                        + "(GroupSettings.historyBytes)");
        while (bytes > mostBytes) drop();
    }

    /// An encoding has no members any more, and may have been made for one of them.
    void forget(Encoding<M> encoding) {
        for (var letter : letters) letter.forget(encoding);
        weigh();
    }

    /// Letters may have got further frames.
    void weigh() {
        bytes = 0;
        for (var letter : letters) count(letter);
        trim();
    }
}
