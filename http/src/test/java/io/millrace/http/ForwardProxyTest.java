package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.ForwardProxy;
import io.millrace.http.client.HttpClient;
import io.millrace.http.client.RetryFilter;
import io.millrace.net.ProtocolError;
import io.millrace.net.Refused;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a client says to a proxy, and to whom it says it.
class ForwardProxyTest {
    private static final int PROXY = 3128;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final ForwardProxy SERVER =
            ForwardProxy.at("127.0.0.1", PROXY).credentials("app", "s3cret").except("direct.test");

    /// `app:s3cret`.
    private static final String SAID = "Proxy-Authorization: Basic YXBwOnMzY3JldA==\r\n";

    private record Talk(Simulation network, HttpClient client, List<Peer> visits, List<Peer> straight) {
        Response get(String uri) {
            return send(Request.get(uri), OK);
        }

        Response send(Request request, String answer) {
            var future = client.sendAsync(request);
            network.advance(SECOND);
            visits.getLast().send(answer);
            network.advance(SECOND);
            return future.join();
        }

        Throwable failure(String answer) {
            var future = client.sendAsync(Request.get("https://example.test/secret"));
            network.advance(SECOND);
            visits.getLast().send(answer);
            network.advance(SECOND.multipliedBy(20));
            return String.valueOf(future.state()).equals("FAILED") ? future.exceptionNow() : new AssertionError(future);
        }
    }

    private static void through(Consumer<Talk> test) {
        through(settings -> settings, test);
    }

    private static void through(UnaryOperator<ClientSettings> change, Consumer<Talk> test) {
        Simulation.forEachSeed(20, network -> {
            var visits = new ArrayList<Peer>();
            var straight = new ArrayList<Peer>();
            network.answer(PROXY, visits::add);
            network.answer(80, straight::add);
            try (var client = HttpClient.of(change.apply(ClientSettings.standard()
                    .loops(network.loops())
                    .connect(host -> network.to(host.getPort()))
                    .proxy(SERVER)))) {
                test.accept(new Talk(network, client, visits, straight));
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    @Tag("simulation")
    void a_proxy_gets_the_whole_uri_and_the_credentials() {
        through(talk -> {
            assertEquals("ok", talk.get("http://example.test/a?b=c").text());
            assertEquals(
                    "GET http://example.test/a?b=c HTTP/1.1\r\nHost: example.test\r\n" + SAID + "\r\n",
                    talk.visits.getFirst().received());
        });
    }

    @Test
    @Tag("simulation")
    void a_port_is_in_the_uri_and_any_method_goes_through() {
        through(talk -> {
            var request = Request.of("OPTIONS", "http://example.test:81/", Bytes.EMPTY);
            assertEquals("ok", talk.send(request, OK).text());
            assertTrue(talk.visits.getFirst().received().startsWith("OPTIONS http://example.test:81/ HTTP/1.1\r\n"));
        });
    }

    @Test
    @Tag("simulation")
    void each_origin_has_connections_of_its_own_which_are_used_again() {
        through(talk -> {
            for (int i = 0; i < 3; i++) {
                assertEquals("ok", talk.get("http://a.test/").text());
                assertEquals(1, talk.visits.size());
            }
            assertEquals("ok", talk.get("http://b.test/").text());
            assertEquals(2, talk.visits.size());
            assertFalse(talk.visits.getFirst().received().contains("b.test"));
        });
    }

    @Test
    @Tag("simulation")
    void a_host_that_is_left_out_is_asked_straight_and_without_credentials() {
        through(talk -> {
            var answer = talk.client.sendAsync(Request.get("http://a.direct.test/x"));
            talk.network.advance(SECOND);
            talk.straight.getFirst().send(OK);
            talk.network.advance(SECOND);
            assertEquals("ok", answer.join().text());
            assertEquals(
                    "GET /x HTTP/1.1\r\nHost: a.direct.test\r\n\r\n",
                    talk.straight.getFirst().received());
            assertEquals(List.of(), talk.visits);
        });
    }

    @Test
    @Tag("simulation")
    void a_tunnel_is_asked_for_by_host_and_port_alone() {
        through(talk -> {
            var answer = talk.client.sendAsync(
                    Request.get("https://Example.test/secret?token=x").addHeader("Authorization", "Bearer mine"));
            talk.network.advance(SECOND);
            assertEquals(
                    "CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n" + SAID + "\r\n",
                    talk.visits.getFirst().received());
            talk.visits
                    .getFirst()
                    .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Established\r\nContent-Length: 5\r\n\r\n");
            talk.network.advance(SECOND);
            // A ClientHello follows, and nothing of the request.
            var behind = talk.visits.getFirst().received();
            assertTrue(behind.indexOf('\u0016') == behind.indexOf("\r\n\r\n") + 4, behind);
            assertFalse(behind.contains("secret") || behind.contains("mine"), behind);
            assertTrue(answer.cancel(true));
            talk.visits.getFirst().close();
        });
    }

    @ParameterizedTest
    @Tag("simulation")
    @ValueSource(ints = {301, 403, 407, 502})
    void a_tunnel_that_is_refused_fails_the_call(int status) {
        through(talk -> {
            var failure = talk.failure("HTTP/1.1 " + status + " No\r\nContent-Length: 4\r\n\r\nevil");
            assertInstanceOf(Refused.class, failure);
            Asking.assertSays("the proxy answered " + status + " to CONNECT example.test:443", failure);
            assertFalse(
                    failure.toString().contains("YXBw") || failure.toString().contains("s3cret"));
        });
    }

    @ParameterizedTest
    @Tag("simulation")
    @CsvSource({"301, 1", "403, 1", "407, 1", "429, 3", "502, 3", "503, 3", "504, 3"})
    void a_tunnel_that_is_refused_is_asked_for_again_where_that_may_help(int status, int times) {
        through(settings -> settings.filter(RetryFilter.standard()), talk -> {
            var answer = talk.client.sendAsync(Request.post("https://example.test/", Bytes.utf8("order")));
            int answered = 0;
            for (int second = 0; second < 10; second++) {
                talk.network.advance(SECOND);
                while (answered < talk.visits.size())
                    talk.visits.get(answered++).send("HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\n\r\n");
            }
            assertTrue(answer.isDone());
            var refused = assertInstanceOf(Refused.class, answer.exceptionNow());
            assertEquals(OptionalInt.of(status), refused.status());
            assertEquals(times, answered);
        });
    }

    @Test
    @Tag("simulation")
    void an_answer_that_is_none_fails_the_call() {
        through(talk -> assertInstanceOf(ProtocolError.class, talk.failure("SSH-2.0-server\r\n")));
        through(talk ->
                assertInstanceOf(ProtocolError.class, talk.failure("HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(4_000))));
    }

    @Test
    @Tag("simulation")
    void a_proxy_that_ends_or_says_nothing_fails_the_call() {
        through(talk -> {
            var answer = talk.client.sendAsync(Request.get("https://example.test/"));
            talk.network.advance(SECOND);
            talk.visits.getFirst().end();
            talk.network.advance(SECOND);
            var thrown = assertThrows(CompletionException.class, answer::join).getCause();
            assertTrue(thrown instanceof Refused || thrown instanceof Reset, () -> "" + thrown);
        });
        through(talk -> assertInstanceOf(TimedOut.class, talk.failure("HTTP/1.1 200 ")));
    }

    @Test
    @Tag("simulation")
    void an_answer_of_the_proxy_itself_is_the_callers() {
        through(talk -> {
            var answer =
                    talk.send(Request.get("http://example.test/"), "HTTP/1.1 407 Who\r\nContent-Length: 3\r\n\r\nwho");
            assertEquals(407, answer.status());
            assertEquals("who", answer.text());
        });
    }

    @Test
    @Tag("simulation")
    void no_request_says_proxy_authorization_itself() {
        through(talk -> {
            var request = Request.get("https://example.test/").addHeader("proxy-authorization", "Basic eDp5");
            Asking.assertSays(
                    "ForwardProxy.credentials",
                    assertThrows(IllegalArgumentException.class, () -> talk.client.sendAsync(request)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ClientSettings.standard().defaultHeader("Proxy-Authorization", "Basic eDp5"));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "example.org, http://example.org/, true",
        "example.org, http://a.example.org/, true",
        ".example.org, http://a.example.org/, true",
        "EXAMPLE.org, http://example.ORG/, true",
        "example.org, http://example.org./, true",
        "example.org, http://badexample.org/, false",
        "example.org, http://example.org.evil.test/, false",
        "10.1.2.3, http://10.1.2.3/, true",
        "::1, http://[::1]/, true",
        "[::1], http://[::1]/, true",
        "10.1.2.3, http://10.1.2.4/, false",
    })
    void names_leave_out_those_below_them(String excepted, String uri, boolean isStraight) {
        Simulation.forEachSeed(1, network -> {
            var asked = new ArrayList<Integer>();
            try (var client = HttpClient.of(ClientSettings.standard()
                    .loops(network.loops())
                    .connect(host -> {
                        asked.add(host.getPort());
                        return network.to(host.getPort());
                    })
                    .proxy(ForwardProxy.at("proxy.test", PROXY).except(excepted)))) {
                var _ = client.sendAsync(Request.get(uri));
                network.advance(SECOND);
                assertEquals(List.of(isStraight ? 80 : PROXY), asked);
                SimulatedClient.close(client, network);
            }
        });
    }

    @Test
    void what_makes_no_sense_is_refused_and_secrets_are_not_told() {
        assertThrows(IllegalArgumentException.class, () -> ForwardProxy.at("proxy", 0));
        assertThrows(IllegalArgumentException.class, () -> ForwardProxy.at("http://proxy", 80));
        assertThrows(IllegalArgumentException.class, () -> SERVER.credentials("a:b", "c"));
        assertThrows(IllegalArgumentException.class, () -> SERVER.credentials("a", "b\r\nX: y"));
        for (var host : List.of("", "*.example.org", "example.org:80", "10.0.0.0/8"))
            assertThrows(IllegalArgumentException.class, () -> SERVER.except(host));
        assertEquals("127.0.0.1:3128 but for [direct.test]", SERVER.toString());
    }
}
