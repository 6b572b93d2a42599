package io.millrace.http.ws;

import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.grammar.HttpGuards;

/// What a peer of a WebSocket may do.
///
/// @param messageBytes of a message, as it is sent and as it is unpacked
/// @param fragments frames of one message
/// @param ratio unpacked bytes of a message for each byte that was sent, for more than a MiB
/// @param controlFrames pings, pongs and the like that come in a row, and empty frames within a message of any
///     length; time and messages allow further ones
/// @param leastPackedBytes of a message that is worth compressing: below that it fits into a packet anyway
public record WsLimits(long messageBytes, int fragments, int ratio, int controlFrames, int leastPackedBytes) {
    private static final WsLimits STANDARD = new WsLimits(1 << 20, 1024, DecodedLimit.USUAL_RATIO, 1000, 1024);

    /// The defaults.
    public static WsLimits standard() {
        return STANDARD;
    }

    public WsLimits messageBytes(long most) {
        return new WsLimits(most, fragments, ratio, controlFrames, leastPackedBytes);
    }

    public WsLimits fragments(int most) {
        return new WsLimits(messageBytes, most, ratio, controlFrames, leastPackedBytes);
    }

    public WsLimits ratio(int most) {
        return new WsLimits(messageBytes, fragments, most, controlFrames, leastPackedBytes);
    }

    public WsLimits controlFrames(int most) {
        return new WsLimits(messageBytes, fragments, ratio, most, leastPackedBytes);
    }

    public WsLimits leastPackedBytes(int least) {
        return new WsLimits(messageBytes, fragments, ratio, controlFrames, least);
    }

    /// For messages that nobody keeps as a whole.
    public WsLimits ofAnyLength() {
        return messageBytes(Long.MAX_VALUE).fragments(Integer.MAX_VALUE);
    }

    /// Whether nothing else bounds the frames of a message.
    boolean isOfAnyLength() {
        return fragments == Integer.MAX_VALUE;
    }

    WsError tooLong() {
        return new WsError(
                WsCodes.TOO_LONG, "a message of more than " + messageBytes + " bytes", HttpGuards.WS_MESSAGE);
    }
}
