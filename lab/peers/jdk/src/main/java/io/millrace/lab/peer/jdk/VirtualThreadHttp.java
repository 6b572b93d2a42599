package io.millrace.lab.peer.jdk;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.concurrent.Executors;

/// The JDK's own HTTP server, a virtual thread for each request. `--loops` is the number of carrier threads.
public final class VirtualThreadHttp {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, VirtualThreadHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing) throws IOException {
        options.onlyInline();
        // The JDK reads it when the first virtual thread starts.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(options.loops()));
        return JdkHttp.start(options, isClosing, Executors.newVirtualThreadPerTaskExecutor());
    }
}
