package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.http.RequestListener;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Tunnels over HTTP/2 with Go: its client asks for CONNECT; its server takes extended CONNECT (RFC 8441), if it is
/// told
/// to.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
@Tag("long")
class GoTunnelsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private PemFiles files;

    /// `serve PORT` sends back what comes in a WebSocket's tunnel; `ask PORT CERTIFICATE TARGET` asks for a tunnel to
    /// there, and compares what comes back until the end.
    private static final String PEER = """
            package main

            import (
                "bytes"
                "crypto/tls"
                "crypto/x509"
                "fmt"
                "io"
                "net/http"
                "net/url"
                "os"
            )

            func echo(w http.ResponseWriter, r *http.Request) {
                if r.Method != "CONNECT" || r.Header.Get(":protocol") != "websocket" || r.ProtoMajor != 2 {
                    w.WriteHeader(400)
                    return
                }
                control := http.NewResponseController(w)
                control.Flush()
                part := make([]byte, 10000)
                for {
                    length, err := r.Body.Read(part)
                    w.Write(part[:length])
                    control.Flush()
                    if err != nil { break }
                }
                io.WriteString(w, "bye")
            }

            func serve() {
                var protocols http.Protocols
                protocols.SetUnencryptedHTTP2(true)
                server := http.Server{Addr: "127.0.0.1:" + os.Args[2], Handler: http.HandlerFunc(echo), Protocols: &protocols}
                server.ListenAndServe()
            }

            func ask() {
                pem, _ := os.ReadFile(os.Args[3])
                roots := x509.NewCertPool()
                roots.AppendCertsFromPEM(pem)
                client := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
                body, out := io.Pipe()
                request := &http.Request{Method: "CONNECT", URL: &url.URL{Scheme: "https", Host: "localhost:" + os.Args[2]},
                    Host: os.Args[4], Header: http.Header{}, Body: body, ContentLength: -1}
                response, err := client.RoundTrip(request)
                if err != nil { panic(err) }
                words := bytes.Repeat([]byte("some words "), 100000)
                go func() {
                    out.Write(words)
                    out.Close()
                }()
                got, err := io.ReadAll(response.Body)
                if err != nil { panic(err) }
                fmt.Println(response.StatusCode, response.ProtoMajor, bytes.Equal(got, append(words, "bye"...)))
            }

            func main() {
                if os.Args[1] == "serve" { serve() } else { ask() }
            }
            """;

    @BeforeEach
    void the_peer_is_built() throws Exception {
        var go = Machine.program(List.of("go")).orElseThrow(() -> Machine.lacks("there is no go on the PATH"));
        files = PemFiles.make(folder, "server", "localhost");
        Files.writeString(folder.resolve("peer.go"), PEER);
        var building = new ProcessBuilder(go.toString(), "build", "-o", "peer", "peer.go")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var said = new String(building.getInputStream().readAllBytes(), UTF_8);
        if (building.waitFor() != 0) throw Machine.lacks("the peer in Go is not compiled: it needs Go 1.24: " + said);
    }

    private String peer() {
        return folder.resolve("peer").toString();
    }

    private String ask(Proxying proxy, String target) throws Exception {
        var port = "" + proxy.server().port();
        var asking = new ProcessBuilder(peer(), "ask", port, files.chain().toString(), target)
                .redirectErrorStream(true)
                .start();
        var said = new String(asking.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, asking.waitFor(), said);
        return said;
    }

    @Test
    void a_client_has_a_tunnel_to_a_server_of_its_choice() throws Exception {
        var served = new LinkedBlockingQueue<List<Object>>();
        RequestListener told = one -> served.add(List.of(one.protocol(), one.status(), one.isTunnel()));
        try (var server = new RawBackend(visit -> {
                    var part = new byte[10_000];
                    for (int length; (length = visit.in.read(part)) > 0; )
                        visit.send(new String(part, 0, length, ISO_8859_1));
                    visit.send("bye");
                });
                var proxy = Proxying.Kind.EPOLL_SAME.secure(
                        files,
                        Upstream.of("http://127.0.0.1:1"),
                        told,
                        upstream -> ConnectTunnels.to(List.of("127.0.0.1:" + server.port()), upstream)
                                .resolver(_ -> List.of(InetAddress.getLoopbackAddress())))) {
            assertEquals("200 2 true\n", ask(proxy, "127.0.0.1:" + server.port()));
            assertEquals(List.of("HTTP/2.0", 200, true), served.poll(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void a_server_has_a_websocket_of_a_client_of_HTTP_1() throws Exception {
        var words = "some words ".repeat(50_000);
        // The program is told by its environment.
        var serving = List.of("env", "GODEBUG=http2xconnect=1", peer(), "serve", "PORT");
        try (var server = OtherProxy.program(folder, serving);
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + server.port());
                var client = proxy.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            client.sendMeanwhile(words.getBytes(ISO_8859_1));
            assertEquals(words, new String(client.exactly(words.length()), ISO_8859_1));
            client.socket().shutdownOutput();
            assertEquals("bye", new String(client.readAll(), ISO_8859_1));
        }
    }
}
