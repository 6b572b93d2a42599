package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Our client of HTTP/2 asks nginx, a server in Go, and Jetty.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class Http2StrangersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private static Asking asking() {
        return Asking.start(settings -> Http2Answers.limits(settings).version(HttpVersion.HTTP_2));
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port + "/";
    }

    private Process start(int port, List<String> command) throws Exception {
        return Http2Answers.listening(new ProcessBuilder(command).directory(folder.toFile()), port);
    }

    private static void end(Process started) throws InterruptedException {
        started.destroy();
        started.waitFor();
    }

    private static final String NGINX = """
            daemon off;
            worker_processes 1;
            pid nginx.pid;
            error_log stderr crit;
            events {}
            http {
                access_log off;
                client_body_temp_path body;
                server {
                    listen 127.0.0.1:PORT http2;
                    root FOLDER;
                }
            }
            """;

    @Test
    void nginx_answers() throws Exception {
        var program =
                Machine.program(List.of("nginx")).orElseThrow(() -> Machine.lacks("there is no nginx on the PATH"));
        int port = Machine.freePort();
        Files.writeString(folder.resolve("index.html"), "hello");
        Files.write(folder.resolve("large"), Http2Answers.large());
        var configuration = NGINX.replace("PORT", "" + port).replace("FOLDER", folder.toString());
        Files.writeString(folder.resolve("nginx.conf"), configuration);
        // Its worker may be another user.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        var server = start(
                port,
                List.of(
                        program.toString(),
                        "-p",
                        folder.toString(),
                        "-c",
                        folder.resolve("nginx.conf").toString()));
        try (var asking = asking()) {
            Http2Answers.assertGets(asking, url(port));
            assertArrayEquals(
                    Http2Answers.large(), asking.get(url(port) + "large").body().toArray());
        } finally {
            end(server);
        }
    }

    private static final String GO_SERVER = """
            package main

            import (
                "io"
                "net/http"
                "os"
            )

            func main() {
                answer := func(w http.ResponseWriter, r *http.Request) {
                    if r.ProtoMajor != 2 {
                        w.WriteHeader(505)
                    } else if r.URL.Path != "/" {
                        w.WriteHeader(404)
                    } else if r.Method == "GET" {
                        io.WriteString(w, "hello")
                    } else {
                        io.Copy(w, r.Body)
                    }
                }
                var protocols http.Protocols
                protocols.SetUnencryptedHTTP2(true)
                server := http.Server{Addr: "127.0.0.1:" + os.Args[1], Handler: http.HandlerFunc(answer), Protocols: &protocols}
                server.ListenAndServe()
            }
            """;

    /// Its compiler takes its time.
    @Test
    @Tag("long")
    void a_server_in_go_answers() throws Exception {
        var go = Machine.program(List.of("go")).orElseThrow(() -> Machine.lacks("there is no go on the PATH"));
        Files.writeString(folder.resolve("server.go"), GO_SERVER);
        var compiling = new ProcessBuilder(go.toString(), "build", "-o", "server", "server.go")
                .directory(folder.toFile())
                .inheritIO()
                .start();
        if (compiling.waitFor() != 0) throw Machine.lacks("the server in Go is not compiled: it needs Go 1.24");
        int port = Machine.freePort();
        var server = start(port, List.of(folder.resolve("server").toString(), "" + port));
        try (var asking = asking()) {
            Http2Answers.assertAll(asking, url(port));
        } finally {
            end(server);
        }
    }

    /// Sends back what it gets.
    private static final class Echo extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (!Request.getPathInContext(request).equals("/")) return false;
            if (request.getMethod().equals("GET")) response.write(true, BufferUtil.toBuffer("hello"), callback);
            else Content.copy(request, response, callback);
            return true;
        }
    }

    @Test
    void jetty_answers() throws Exception {
        var server = new Server();
        var connector = new ServerConnector(server, new HTTP2CServerConnectionFactory(new HttpConfiguration()));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Echo());
        server.start();
        try (var asking = asking()) {
            Http2Answers.assertAll(asking, url(connector.getLocalPort()));
        } finally {
            server.stop();
        }
    }
}
