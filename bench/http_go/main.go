// The HTTP workloads of the lab with Go's net/http: GET /plaintext, and nothing else.
// Usage: http_go PORT ADDRESS. Port 0 takes a free one.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

var body = []byte("Hello, World!")

func plaintext(response http.ResponseWriter, _ *http.Request) {
	header := response.Header()
	header.Set("Server", "go")
	header.Set("Content-Type", "text/plain")
	response.Write(body)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "http_go PORT ADDRESS")
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Args[2], os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/plaintext", plaintext)
	fmt.Println("listening on", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
