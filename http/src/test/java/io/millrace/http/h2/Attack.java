package io.millrace.http.h2;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.net.Guard;
import java.util.function.Supplier;

/// Frames behind a client's preface that have a server work for nothing: published attacks, and their kin. Each ends
/// its connection.
@SuppressWarnings("ImmutableEnumChecker") // nobody changes them
enum Attack {
    RAPID_RESET("CVE-2023-44487", () -> resets((to, id) -> to.get(id, "/never").reset(id, Http2Codes.CANCEL))),
    RESET_BY_A_WINDOW_OF_NOTHING(
            "CVE-2025-8671", () -> resets((to, id) -> to.get(id, "/never").window(id, 0))),
    RESET_BY_A_WINDOW_THAT_OVERFLOWS(
            "CVE-2025-8671", () -> resets((to, id) -> to.get(id, "/never").window(id, Integer.MAX_VALUE))),
    RESET_BY_A_SHORT_PRIORITY(
            "CVE-2025-8671",
            () -> resets((to, id) -> to.get(id, "/never").frame(Http2Codes.PRIORITY, 0, id, new byte[4]))),
    RESET_BY_A_PRIORITY_OF_ITSELF(
            "CVE-2025-8671", () -> resets((to, id) -> to.get(id, "/never").priority(id, id))),
    RESET_BY_FIELDS_BEHIND_THE_END(
            "CVE-2025-8671", () -> resets((to, id) -> to.get(id, "/never").headers(id, true, "x", "y"))),
    RESET_BY_DATA_BEHIND_THE_END(
            "CVE-2025-8671", () -> resets((to, id) -> to.get(id, "/never").data(id, true, "x"))),
    MALFORMED_REQUESTS("CVE-2025-8671", () -> resets((to, id) -> to.headers(id, true, "x", "y"))),
    BODIES_OF_ANOTHER_LENGTH(
            "CVE-2025-8671",
            () -> resets(
                    (to, id) -> to.headers(id, false, SentFrames.request("POST", "/reading", "content-length", "1"))
                            .data(id, true, "xy"))),
    STREAMS_ABOVE_THE_LIMIT("CVE-2026-47244", () -> each(100 + resets(), (to, id) -> to.get(id, "/never"))),
    TRAILERS_FOR_A_CLOSED_STREAM(
            "",
            () -> closedStream()
                    .raw(frames((to, _) -> to.headers(1, true, "x", "y")).toBytes())),
    DATA_FOR_A_CLOSED_STREAM(
            "CVE-2026-48043",
            () -> closedStream().raw(frames((to, _) -> to.data(1, false, "x")).toBytes())),
    FIELDS_WITHOUT_END_IN_EMPTY_FRAMES("CVE-2026-33871", HttpGuards.HEAD, () -> continued(40)),
    FIELDS_WITHOUT_END("CVE-2024-27316", HttpGuards.HEAD, () -> continued(40, SentFrames.fields("x", "y"))),
    FIELDS_WITHOUT_END_IN_LONG_FRAMES(
            "CVE-2024-27316", HttpGuards.HEAD, () -> continued(5, new byte[Http2Codes.MOST_BYTES])),
    PINGS("CVE-2019-9512", () -> frames((to, _) -> to.ping("12345678"))),
    SETTINGS("CVE-2019-9515", () -> frames((to, _) -> to.settings())),
    SETTINGS_OF_WINDOWS("CVE-2019-9515", () -> frames((to, _) -> to.settings(Http2Codes.WINDOW, 1000))),
    SETTINGS_TAKEN("CVE-2019-9515", () -> frames((to, _) -> to.settingsTaken())),
    SETTINGS_OF_THOUSANDS_OF_ENTRIES("CVE-2026-55831", () -> each(20, (to, _) -> to.settings(entries()))),
    PRIORITIES("CVE-2019-9513", () -> frames((to, _) -> to.priority(1, 3))),
    PRIORITY_UPDATES("CVE-2019-9513", () -> frames((to, _) -> to.priorityUpdate(1, "u=1"))),
    WINDOWS("CVE-2019-9511", () -> frames((to, _) -> to.window(0, 1))),
    GOODBYES("", () -> frames((to, _) -> to.goAway(0, 0))),
    UNKNOWN_FRAMES("CVE-2026-27141", () -> frames((to, _) -> to.frame(0x0b, 0, 0))),
    UNKNOWN_FRAMES_OF_A_STREAM("CVE-2026-27141", () -> frames((to, _) -> to.frame(0xff, 0xff, 1, (byte) 1))),
    EMPTY_DATA(
            "CVE-2019-9518",
            () -> new SentFrames()
                    .post(1, "/reading")
                    .raw(frames((to, _) -> to.data(1, false)).toBytes())),
    PADDING(
            "CVE-2019-9518",
            () -> new SentFrames()
                    .post(1, "/reading")
                    .raw(frames((to, _) -> to.frame(Http2Codes.DATA, Http2Codes.PADDED, 1, padding()))
                            .toBytes()));

    /// By which it is known; empty for kin.
    final String published;

    /// Which acts.
    final Guard guard;

    private final Supplier<SentFrames> frames;

    Attack(String published, Supplier<SentFrames> frames) {
        this(published, HttpGuards.HTTP2_WORK, frames);
    }

    Attack(String published, Guard guard, Supplier<SentFrames> frames) {
        this.published = published;
        this.guard = guard;
        this.frames = frames;
    }

    /// Without the preface.
    SentFrames frames() {
        return frames.get();
    }

    private interface Step {
        void add(SentFrames to, int id);
    }

    private static SentFrames each(int count, Step step) {
        var all = new SentFrames();
        for (int i = 0; i < count; i++) step.add(all, 2 * i + 1);
        return all;
    }

    /// Resets that a connection may cause without progress, and some that time allows.
    static int resets() {
        return 2 * WorkBudget.MOST / WorkBudget.RESET;
    }

    private static SentFrames resets(Step step) {
        return each(resets(), step);
    }

    /// Frames that bring nothing, in the same way.
    private static SentFrames frames(Step step) {
        return each(3 * WorkBudget.MOST, step);
    }

    private static SentFrames closedStream() {
        return new SentFrames().get(1, "/never").window(1, 0);
    }

    private static SentFrames continued(int count, byte... part) {
        var all = new SentFrames().frame(Http2Codes.HEADERS, Http2Codes.END_STREAM, 1, SentFrames.fields("x", "y"));
        for (int i = 0; i < count; i++) all.frame(Http2Codes.CONTINUATION, 0, 1, part);
        return all;
    }

    private static int[] entries() {
        var entries = new int[2 * 2730];
        for (int i = 0; i < entries.length; i += 2) {
            entries[i] = Http2Codes.WINDOW;
            entries[i + 1] = i;
        }
        return entries;
    }

    private static byte[] padding() {
        var padding = new byte[256];
        padding[0] = (byte) 255;
        return padding;
    }
}
