package io.millrace.cli;

import picocli.CommandLine.Command;

/// `millrace load`: puts load on a server and measures it.
@Command(
        name = "load",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {LoadTcp.class, LoadHttp.class, LoadWs.class},
        description = "Put load on a server, check its answers, and measure how long they take. When a message was"
                + " answered the next one is sent (closed loop); with --rate messages start when they are due, and are"
                + " measured from then (open loop).")
final class Load {}
