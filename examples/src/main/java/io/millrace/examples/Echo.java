package io.millrace.examples;

import io.millrace.Tcp;

/// Echo on the loop: `java … Echo 7007`, then `nc localhost 7007`.
public final class Echo {
    public static void main(String[] args) throws InterruptedException {
        Tcp.listen(Integer.parseInt(args[0]), conn -> in -> conn.output().move(in))
                .await();
    }
}
