/// The command line of Millrace: one class per command.
module io.millrace.cli {
    requires info.picocli;
    requires io.millrace.acme;
    requires io.millrace.core;
    requires io.millrace.http;
    requires io.millrace.lab;
    requires io.millrace.proxy;
    requires static org.jspecify;

    provides java.lang.System.LoggerFinder with
            io.millrace.cli.StandardErrorLog;

    opens io.millrace.cli to
            info.picocli;
}
