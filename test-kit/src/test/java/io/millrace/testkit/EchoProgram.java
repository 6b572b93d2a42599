package io.millrace.testkit;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.kit.HttpKit;
import io.millrace.sim.Simulation;

/// A user of everything in this artifact, in a JVM of its own.
final class EchoProgram {
    private EchoProgram() {}

    public static void main(String[] args) throws Exception {
        try (var network = new Simulation(1)) {
            network.listen(7, conn -> in -> conn.output().move(in));
            var peer = network.connect(7).send("hello").end();
            network.run();
            System.out.println(peer.received());
        }
        System.out.println(HttpKit.asServedOnLoop(_ -> Response.ok("hello"))
                .handle(Request.get("/"))
                .text());
    }
}
