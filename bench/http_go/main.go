// The HTTP workloads of the lab with Go's net/http: GET /plaintext, and POST /echo, which sends back what it gets.
// Usage: http_go PORT ADDRESS http1|http2 [CHAIN KEY]. Port 0 takes a free one; with a chain and a key, two files in
// PEM, it speaks TLS. It speaks one version: HTTP/1.1, or HTTP/2, in clear text by prior knowledge.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
)

var body = []byte("Hello, World!")

func plaintext(response http.ResponseWriter, _ *http.Request) {
	header := response.Header()
	header.Set("Server", "go")
	header.Set("Content-Type", "text/plain")
	response.Write(body)
}

func echo(response http.ResponseWriter, request *http.Request) {
	all := make([]byte, max(request.ContentLength, 0))
	if _, err := io.ReadFull(request.Body, all); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	header := response.Header()
	header.Set("Server", "go")
	header.Set("Content-Type", "text/plain")
	header.Set("Content-Length", strconv.Itoa(len(all)))
	response.Write(all)
}

func main() {
	if len(os.Args) != 4 && len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "http_go PORT ADDRESS http1|http2 [CHAIN KEY]")
		os.Exit(2)
	}
	// One core, as other servers of the lab have one event loop.
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Args[2], os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/plaintext", plaintext)
	http.HandleFunc("/echo", echo)
	fmt.Println("listening on", listener.Addr())
	server := &http.Server{Protocols: new(http.Protocols)}
	isHttp2 := os.Args[3] == "http2"
	server.Protocols.SetHTTP1(!isHttp2)
	server.Protocols.SetHTTP2(isHttp2)
	server.Protocols.SetUnencryptedHTTP2(isHttp2)
	if len(os.Args) == 4 {
		log.Fatal(server.Serve(listener))
	}
	log.Fatal(server.ServeTLS(listener, os.Args[4], os.Args[5]))
}
