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
                "echo --listen 7007                               | '7007' is no address: write HOST:PORT",
                "echo --listen 127.0.0.1:                         | '' is no number from 0 to 65535",
                "echo --listen 127.0.0.1:http                     | 'http' is no number from 0 to 65535",
                "echo --listen 127.0.0.1:65536                    | '65536' is no number from 0 to 65535",
                "echo --listen 127.0.0.1:-1                       | '-1' is no number from 0 to 65535",
                "echo --listen ::1:80                             | '::1:80' is no address: an IPv6 address stands in",
                "echo --listen [::1:80                            | '[::1:80' is no address: an IPv6 address stands in",
                "echo --listen [::g]:80                           | '::g' in brackets is no IPv6 address",
                "echo --listen [127.0.0.1]:80                     | '127.0.0.1' in brackets is no IPv6 address",
                "echo --listen unix:                              | 'unix:' has no path",
                "echo --listen :0 --style fast                    | 'fast' is none of its values: take callback, direct",
                "echo --listen :0 --dispatch there                | 'there' is none of its values: take loop, virtual or",
                "echo --listen :0 --dispatch pool:0               | '0' is no number from 1 to",
                "echo --listen :0 --dispatch pool:                | '' is no number from 1 to",
                "echo --listen :0 --style direct --dispatch loop  | leave one of them out",
                "echo --listen :0 --loops 0                       | '0' is no number from 1 to",
                "echo --listen :0 --loops many                    | 'many' is no number from 1 to",
                "echo --listen :0 --transport kqueue              | 'kqueue' is none of its values: take auto, uring, epoll",
                "echo --listen :0 here                            | 'here'",
                "proxy --listen :0 --to a:1                       | --layer",
                "proxy --layer 4 --to a:1                         | --listen",
                "proxy --layer 4 --listen :0                      | --to",
                "proxy --layer 3 --listen :0 --to a:1             | there is no proxy for layer '3': take 4",
                "proxy --layer four --listen :0 --to a:1          | there is no proxy for layer 'four': take 4",
                "proxy --check                                    | name it with --config",
                "proxy --config a.yaml --cert a.pem               | --config says everything: leave out --layer",
                "proxy --config a.yaml --layer 7                  | --config says everything: leave out --layer",
                "proxy --layer 4 --listen :0 --to :80             | ':80' names no host to connect to",
                "proxy --layer 4 --listen :0 --to a:1,0.0.0.0:80  | '0.0.0.0:80' names no host to connect to",
                "proxy --layer 4 --listen :0 --to a:0             | '0' is no number from 1 to 65535",
                "proxy --layer 4 --listen :0 --to a:1,b           | 'b' is no address: write HOST:PORT",
                "proxy --layer 4 --listen :0 --to a:1 --slabs big | 'big' is none of its values: take pooled, unpooled",
                "proxy --layer 4 --listen :0 --to a:1 --upstream-loops all | 'all' is none of its values: take same, shared",
                "demo --seconds 0                                 | '0' is no number from 1 to",
                "demo --every 0                                   | '0' is no number from 1 to",
                "proxy --layer 7 --listen :0 --to [::1]:1 --admin :9 | takes a token",
                "proxy --config f --admin 127.0.0.1:9             | and --admin",
                "load                                             | command",
                "load --to a:1                                    | '--to'",
                "load tcp                                         | --to",
                "load smtp --to a:1                               | there is no command 'smtp'",
                "load tcp --to :80                                | ':80' names no host to connect to",
                "load tcp --to a:1 --connections 0                | '0' is no number from 1 to",
                "load tcp --to a:1 --size 0                       | '0' is no number from 1 to 16777216",
                "load tcp --to a:1 --depth 0                      | '0' is no number from 1 to",
                "load tcp --to a:1 --rate fast                    | 'fast' is no number from 1 to",
                "load tcp --to a:1 --warm-up -1                   | '-1' is no number from 0 to",
                "load tcp --to a:1 --seconds 0                    | '0' is no number from 1 to",
                "load tcp --to a:1 --messages 0                   | '0' is no number from 1 to",
                "load tcp --to a:1 --seconds 1 --messages 1       | leave one of them out",
                "load tcp --to a:1 --verify some                  | 'some' is none of its values: take every, none",
                "load tcp --to a:1 --loops 0                      | '0' is no number from 1 to",
                "load http                                        | URL",
                "load http localhost:8080                         | 'localhost:8080' is no URL: write http://HOST:PORT/PATH",
                "load http http://localhost/ --insecure           | are for https",
                "load http https://localhost/ --insecure --cacert /nowhere | --insecure believes everybody",
                "load http https://localhost/ --cacert /nowhere   | /nowhere",
                "http                                             | name where to listen: --listen, --tls-listen, or both",
                "http --tls-listen :0                             | takes --cert and --key, or --tls-self-signed",
                "http --tls-listen :0 --cert a                    | takes --cert and --key, or --tls-self-signed",
                "http --tls-listen :0 --cert a --key b            | a",
                "http --tls-listen :0 --cert a --key b --tls-self-signed | takes --cert and --key, or --tls-self-signed",
                "http --listen :0 --tls-self-signed               | are for --tls-listen: add it",
                "load http ftp://localhost/                       | there is no load for 'ftp': take http",
                "load http http://:8080/                          | ':8080' names no host to connect to",
                "load http http://a:b/                            | 'b' is no number from 1 to 65535",
                "load http http://me@a/                           | 'http://me@a/' names a user",
                "load http http://::1/                            | an IPv6 address stands in brackets",
                "load http http://a/ü                             | '/ü' has a character that may not be sent",
                "load http http://a/ --method G=T                 | method",
                "load http http://a/ --method CONNECT             | take another method",
                "load http http://a/ --header Accept              | 'Accept' is no field: write 'NAME: VALUE'",
                "load http http://a/ --header Content-Length:5    | Content-Length follows from the body: leave it out",
                "load http http://a/ --header A=B:c               | field name",
                "load http http://a/ --body a --body-file b       | mutually exclusive",
                "load http http://a/ --body-file /no/such/file    | --body-file /no/such/file cannot be read",
                "load http http://a/ --status 20                  | '20' is no number from 200 to 599",
                "load http http://a/ --length -1                  | '-1' is no number from 0 to",
                "load http http://a/ --requests 0                 | '0' is no number from 1 to",
                "load http http://a/ --seconds 1 --requests 1     | --seconds and --requests both say how long",
                "load http http://a/ --close --depth 2            | leave --depth out",
                "load http http://a/ --to a:1                     | '--to'",
                "doctor --fix                                     | '--fix'",
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
        assertTrue(err.toString().matches("millrace " + words[0] + "( tcp| http)?: (?s:.*)"), err::toString);
        assertTrue(err.toString().contains(sentence), err::toString);
    }
}
