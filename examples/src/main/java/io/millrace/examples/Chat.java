package io.millrace.examples;

import io.millrace.Tcp;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.Messages;

/// A line-based chat: each line goes to all peers.
public final class Chat {
    public static void main(String[] args) throws InterruptedException {
        var everybody = new Group<String>();
        Tcp.listen(Integer.parseInt(args[0]), Messages.over(Framing.lines(512), Codec.utf8(), peer -> {
                    everybody.join(peer);
                    return everybody::broadcast;
                }))
                .await();
    }
}
