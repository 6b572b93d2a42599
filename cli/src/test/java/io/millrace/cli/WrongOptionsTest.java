package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every wrong option ends with 2 and one sentence that names the value and the remedy.
class WrongOptionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo                                             | --listen",
                "echo --listen 7007                               | '7007' is not an address: write HOST:PORT",
                "echo --listen 127.0.0.1:                         | '' is not a number from 0 to 65535",
                "echo --listen 127.0.0.1:http                     | 'http' is not a number from 0 to 65535",
                "echo --listen 127.0.0.1:65536                    | '65536' is not a number from 0 to 65535",
                "echo --listen 127.0.0.1:-1                       | '-1' is not a number from 0 to 65535",
                "echo --listen ::1:80                             | '::1:80' is not an address: write an IPv6 address in",
                "echo --listen [::1:80                            | '[::1:80' is not an address: write an IPv6 address in",
                "echo --listen [::g]:80                           | '::g' in brackets is not an IPv6 address",
                "echo --listen [127.0.0.1]:80                     | '127.0.0.1' in brackets is not an IPv6 address",
                "echo --listen unix:                              | 'unix:' has no path",
                "echo --listen :0 --style fast                    | 'fast' is not one of its values: use callback, direct",
                "echo --listen :0 --dispatch there                | 'there' is not one of its values: use loop, virtual or",
                "echo --listen :0 --dispatch pool:0               | '0' is not a number from 1 to",
                "echo --listen :0 --dispatch pool:                | '' is not a number from 1 to",
                "echo --listen :0 --style direct --dispatch loop  | leave one of them out",
                "echo --listen :0 --loops 0                       | '0' is not a number from 1 to",
                "echo --listen :0 --loops many                    | 'many' is not a number from 1 to",
                "echo --listen :0 --transport kqueue              | 'kqueue' is not one of its values: use auto, uring, epoll",
                "echo --listen :0 here                            | 'here'",
                "proxy --listen :0 --to a:1                       | --layer",
                "proxy --layer 4 --to a:1                         | --listen",
                "proxy --layer 4 --listen :0                      | --to",
                "proxy --layer 3 --listen :0 --to a:1             | there is no proxy for layer '3': use 4",
                "proxy --layer four --listen :0 --to a:1          | there is no proxy for layer 'four': use 4",
                "proxy --check                                    | name it with --config",
                "proxy --config a.yaml --cert a.pem               | --config replaces other options: leave out --layer",
                "proxy --config a.yaml --layer 7                  | --config replaces other options: leave out --layer",
                "proxy --layer 4 --listen :0 --to :80             | ':80' has no host to connect to",
                "proxy --layer 4 --listen :0 --to a:1,0.0.0.0:80  | '0.0.0.0:80' has no host to connect to",
                "proxy --layer 4 --listen :0 --to a:0             | '0' is not a number from 1 to 65535",
                "proxy --layer 4 --listen :0 --to a:1,b           | 'b' is not an address: write HOST:PORT",
                "proxy --layer 4 --listen :0 --to a:1 --slabs big | 'big' is not one of its values: use pooled, unpooled",
                "proxy --layer 4 --listen :0 --to a:1 --upstream-loops all | 'all' is not one of its values: use same, shared",
                "demo --seconds 0                                 | '0' is not a number from 1 to",
                "demo --every 0                                   | '0' is not a number from 1 to",
                "proxy --layer 7 --listen :0 --to [::1]:1 --admin :9 | needs a token",
                "proxy --config f --admin 127.0.0.1:9             | and --admin",
                "load                                             | command",
                "load --to a:1                                    | '--to'",
                "load tcp                                         | --to",
                "load smtp --to a:1                               | there is no command 'smtp'",
                "load tcp --to :80                                | ':80' has no host to connect to",
                "load tcp --to a:1 --connections 0                | '0' is not a number from 1 to",
                "load tcp --to a:1 --size 0                       | '0' is not a number from 1 to 16777216",
                "load tcp --to a:1 --depth 0                      | '0' is not a number from 1 to",
                "load tcp --to a:1 --rate fast                    | 'fast' is not a number from 1 to",
                "load tcp --to a:1 --warm-up -1                   | '-1' is not a number from 0 to",
                "load tcp --to a:1 --seconds 0                    | '0' is not a number from 1 to",
                "load tcp --to a:1 --messages 0                   | '0' is not a number from 1 to",
                "load tcp --to a:1 --seconds 1 --messages 1       | leave one of them out",
                "load tcp --to a:1 --verify some                  | 'some' is not one of its values: use every, none",
                "load tcp --to a:1 --loops 0                      | '0' is not a number from 1 to",
                "load http                                        | URL",
                "load http localhost:8080                         | 'localhost:8080' is not a URL: write http://HOST:PORT/PATH",
                "load http http://localhost/ --insecure           | are for https",
                "load http https://localhost/ --insecure --cacert /nowhere | --insecure trusts any certificate",
                "load http https://localhost/ --cacert /nowhere   | /nowhere",
                "http                                             | name an address to listen on: --listen, --tls-listen, or both",
                "http --tls-listen :0                             | needs --cert and --key, or --tls-self-signed",
                "http --tls-listen :0 --cert a                    | needs --cert and --key, or --tls-self-signed",
                "http --tls-listen :0 --cert a --key b            | a",
                "http --tls-listen :0 --cert a --key b --tls-self-signed | needs --cert and --key, or --tls-self-signed",
                "http --listen :0 --listing                       | name it with --root",
                "http --listen :0 --try-files /index.html         | name it with --root",
                "http --listen :0 --root /tmp --try-files index.html | 'index.html' leads nowhere",
                "http --listen :0 --root /tmp --precompressed lzma | take one of br, zstd, gzip",
                "http --listen :0 --index a.html                  | name it with --root",
                "http --listen :0 --root /tmp --index .a          | '.a'",
                "http --listen :0 --expires text/css=1h           | name it with --root",
                "http --listen :0 --root /tmp --expires 1h        | '1h' has no time: write TYPE=AGE",
                "http --listen :0 --root /tmp --expires a/b=soon  | 'soon' is no duration: write one like 500ms, 5s",
                "http --listen :0 --root /tmp --expires css=1h    | css",
                "http --listen :0 --root /tmp --expires a/b=400d  | take whole seconds, up to 365 days",
                "http --listen :0 --error-page 404=/a.html        | name it with --root",
                "http --listen :0 --root /tmp --error-page /a.html | '/a.html' is no page for errors: write STATUS=FILE",
                "http --listen :0 --root /tmp --error-page 200=/a | '200=/a' is no page for errors: write STATUS=FILE",
                "http --listen :0 --root /tmp --error-page 404=/../a | '/../a' is never served",
                "http --listen :0 --root /tmp --error-page 404=/no-such-page | there is no page /tmp/no-such-page",
                "http --listen :0 --tls-self-signed               | are for --tls-listen: add it",
                "load http ftp://localhost/                       | there is no load for scheme 'ftp': use http",
                "load http http://:8080/                          | ':8080' has no host to connect to",
                "load http http://a:b/                            | 'b' is not a number from 1 to 65535",
                "load http http://me@a/                           | 'http://me@a/' contains a user",
                "load http http://::1/                            | write an IPv6 address in brackets",
                "load http http://a/ü                             | '/ü' has a character that may not be sent",
                "load http http://a/ --method G=T                 | method",
                "load http http://a/ --method CONNECT             | take another method",
                "load http http://a/ --header Accept              | 'Accept' is not a field: write 'NAME: VALUE'",
                "load http http://a/ --header Content-Length:5    | Content-Length follows from the body: leave it out",
                "load http http://a/ --header A=B:c               | field name",
                "load http http://a/ --body a --body-file b       | mutually exclusive",
                "load http http://a/ --body-file /no/such/file    | --body-file /no/such/file cannot be read",
                "load http http://a/ --status 20                  | '20' is not a number from 200 to 599",
                "load http http://a/ --length -1                  | '-1' is not a number from 0 to",
                "load http http://a/ --requests 0                 | '0' is not a number from 1 to",
                "load http http://a/ --seconds 1 --requests 1     | --seconds and --requests both set how long",
                "load http http://a/ --close --depth 2            | leave --depth out",
                "load http http://a/ --streams 2                  | add --http2, or use --depth for HTTP/1.1",
                "load http http://a/ --http2 --streams 0          | '0' is not a number from 1 to",
                "load http http://a/ --http2 --depth 2            | with --http2 use --streams",
                "load http http://a/ --http2 --close              | leave it or --http2 out",
                "load http http://a/ --http2 --header TE:gzip     | HTTP/2 has no field TE: leave it out",
                "load http http://a/ --to a:1                     | '--to'",
                "doctor --fix                                     | '--fix'",
                "lab executor --peers nobody                      | there is no peer 'nobody'",
                "lab executor --peers millrace-nio --baseline mina | the baseline 'mina' does not take part",
                "lab executor --peers millrace-nio,millrace-nio   | the peer 'millrace-nio' is listed twice",
                "lab executor --extra mina=true                   | 'mina' is the name of a peer",
                "lab executor --sizes 0                           | '0' is not a number",
                "lab executor --quick --full                      | mutually exclusive",
                "lab plaintext --sizes 64                         | Unknown option",
                "lab close --depths 16                            | Unknown option",
                "lab close --key rsa                              | Unknown option",
                "lab http2 --key rsa                              | --key is for servers over TLS: add --tls",
                "lab http2-proxy --tls                            | '--tls'",
                "lab tls --key dsa                                | there is no key 'dsa': use ecdsa or rsa",
                "lab plaintext --depths 0                         | '0' is not a number",
                "lab close --peers c-epoll                        | there is no peer 'c-epoll'",
                "lab pingpong --network adsl                      | there is no network 'adsl'",
                "lab pingpong --seconds 0.1                       | '0.1' is not a number from 0.5"
            })
    void ends_with_2_and_one_sentence(String line, String sentence) {
        var out = new StringWriter();
        var err = new StringWriter();
        var words = line.split(" +");
        int code = Main.commandLine(words)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words);
        assertEquals(2, code, err::toString);
        assertEquals("", out.toString());
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().matches("millrace " + words[0] + "( [a-z0-9-]+)?: (?s:.*)"), err::toString);
        assertTrue(err.toString().contains(sentence), err::toString);
    }
}
