package io.millrace;

import io.millrace.os.SocketAddresses;
import io.millrace.transport.DescriptorSocket.Message;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/// What two processes say to each other when one takes over from the other: a message is a line, and descriptors
/// come with some.
///
/// ```
///   the next one                        the one that serves
///   millrace-hand-over 1          ──►
///                                 ◄──   millrace-hand-over 1 MESSAGES     or   refused WHY
///                                 ◄──   sockets SERVER ADDRESS            and the descriptors; again and again
///                                 ◄──   managed SERVER ADDRESS            the same for those of a service manager
///   ready                         ──►
///                                 ◄──   left                             or   refused WHY
/// ```
/// In between, new connections wait in the kernel. An end of stream without a message means that the other process
/// is gone.
final class HandOverTalk {
    /// For each message except [#READY].
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /// From the sockets until the next process is ready.
    static final Duration START_PATIENCE = Duration.ofSeconds(60);

    /// In one message; the kernel allows 253.
    static final int MOST_DESCRIPTORS = 64;

    static final int MOST_MESSAGES = 1024;

    static final String READY = "ready";
    static final String LEFT = "left";

    private static final String NAME = "millrace-hand-over";
    private static final int VERSION = 1;
    static final String GREETING = NAME + " " + VERSION;
    private static final String REFUSED = "refused ";
    private static final String SOCKETS = "sockets";
    private static final String MANAGED = "managed";

    private HandOverTalk() {}

    /// The sockets of a server.
    ///
    /// @param server its number
    /// @param asked the address that it was told to listen on, as [#text] returns it
    /// @param isManaged a service manager has them, too, and goes on to
    record ServerSockets(int server, String asked, List<Integer> descriptors, boolean isManaged) {
        static final ServerSockets NONE = new ServerSockets(0, "", List.of(), false);

        String text() {
            return (isManaged ? MANAGED : SOCKETS) + " " + server + " " + asked;
        }

        static ServerSockets of(Message message) throws IOException {
            var words = message.text().split(" ", -1);
            boolean isManaged = words[0].equals(MANAGED);
            if (words.length != 3 || (!isManaged && !words[0].equals(SOCKETS))) throw unexpected(message.text());
            return new ServerSockets(number(words[1], message), words[2], message.descriptors(), isManaged);
        }
    }

    /// An address as text, the same for equal addresses.
    static String text(SocketAddress address) throws IOException {
        return HexFormat.of().formatHex(SocketAddresses.encode(address, SocketAddresses.family(address)));
    }

    static String greeting(int messages) {
        return GREETING + " " + messages;
    }

    /// The answer to a greeting other than [#GREETING].
    static String refusal(String heard) {
        boolean isOther = heard.startsWith(NAME + " ");
        return REFUSED
                + (isOther
                        ? "this process speaks " + GREETING + ", and the next one " + shown(heard)
                                + ": stop this one, then start the other"
                        : "only the next Millrace process may connect here");
    }

    /// How many messages with sockets follow the answer to a greeting.
    ///
    /// @throws IOException when it is a refusal, of another version, or an impossible number
    static int messages(Message answer) throws IOException {
        var text = answer.text();
        if (text.startsWith(REFUSED))
            throw new IOException("the process that serves does not hand over: " + text.substring(REFUSED.length()));
        if (!text.startsWith(GREETING + " ")) throw unexpected(text);
        int count = number(text.substring(GREETING.length() + 1), answer);
        if (count <= MOST_MESSAGES) return count;
        throw new IOException(
                "the process that serves hands over too much: " + count + " messages, at most " + MOST_MESSAGES);
    }

    private static int number(String text, Message message) throws IOException {
        if (!text.matches("[0-9]{1,6}")) throw unexpected(message.text());
        return Integer.parseInt(text);
    }

    /// The answer to a [#READY] that came too late.
    static String tooLate() {
        return REFUSED + "the next process was not ready within " + START_PATIENCE.toSeconds() + " s, and this one "
                + "goes on serving";
    }

    /// @throws IOException when it is a refusal
    static void checkLeft(Message answer) throws IOException {
        if (!answer.text().equals(LEFT)) messages(answer);
    }

    private static IOException unexpected(String text) {
        return new IOException("the process that serves says '" + shown(text) + "', which is not " + GREETING
                + ": stop it, then start this one");
    }

    /// As much of the other process's message as is safe to show in ours.
    static String shown(String text) {
        var clean = text.replaceAll("[^ -~]", "?");
        return clean.length() <= 80 ? clean : clean.substring(0, 80) + "…";
    }
}
