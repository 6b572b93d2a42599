package io.millrace.examples;

import io.millrace.Tcp;

/// Echo on a virtual thread: plain blocking code at the speed of the loop.
public final class DirectEcho {
    public static void main(String[] args) throws InterruptedException {
        Tcp.serve(Integer.parseInt(args[0]), conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                })
                .await();
    }
}
