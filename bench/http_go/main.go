// The HTTP workloads of the lab with Go's net/http: GET /plaintext, and POST /echo, which sends back what it gets.
// Usage: http_go PORT ADDRESS [CHAIN KEY]. Port 0 takes a free one; with a chain and a key, two files in PEM, it
// speaks TLS. It never speaks HTTP/2.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
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
	if len(os.Args) != 3 && len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "http_go PORT ADDRESS [CHAIN KEY]")
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Args[2], os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/plaintext", plaintext)
	http.HandleFunc("/echo", echo)
	fmt.Println("listening on", listener.Addr())
	if len(os.Args) == 3 {
		log.Fatal(http.Serve(listener, nil))
	}
	server := &http.Server{TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	log.Fatal(server.ServeTLS(listener, os.Args[3], os.Args[4]))
}
