// A peer of WebSockets, with the library coder/websocket: `ask URL HOW` talks to a server, `serve PORT HOW` to clients.
// HOW is `deflate` or `plain`. What was as it should be is printed as a line of words.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

var (
	long       = strings.Repeat("some words ", 95325) + "!"
	where, how = os.Args[2], os.Args[3]
	all        = context.Background()
)

func mode() websocket.CompressionMode {
	if how == "deflate" {
		return websocket.CompressionContextTakeover
	}
	return websocket.CompressionDisabled
}

func packing(header http.Header) string {
	if strings.Contains(header.Get("Sec-WebSocket-Extensions"), "permessage-deflate") {
		return "deflate"
	}
	return "plain"
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func ended(err error) string {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return fmt.Sprintf("%d:%s", end.Code, end.Reason)
	}
	return err.Error()
}

func open() (*websocket.Conn, string) {
	options := websocket.DialOptions{
		Subprotocols: []string{"chat.v1", "chat.v2"}, CompressionMode: mode(), CompressionThreshold: 100}
	socket, response, err := websocket.Dial(all, where, &options)
	must(err)
	socket.SetReadLimit(2 << 20)
	return socket, packing(response.Header)
}

func next(socket *websocket.Conn) []byte {
	_, got, err := socket.Read(all)
	must(err)
	return got
}

func echoes(socket *websocket.Conn, kind websocket.MessageType, message []byte) bool {
	must(socket.Write(all, kind, message))
	return bytes.Equal(message, next(socket))
}

func ask() {
	socket, packing := open()
	said := []string{socket.Subprotocol(), packing}
	check := func(name string, isRight bool) {
		if !isRight {
			name = "not-" + name
		}
		said = append(said, name)
	}
	check("text", echoes(socket, websocket.MessageText, []byte("hello äß€😀")))
	check("empty", echoes(socket, websocket.MessageText, []byte{}))
	binary := make([]byte, 1<<20)
	for i := range binary {
		binary[i] = byte(i*31 + (i >> 8))
	}
	check("bytes", echoes(socket, websocket.MessageBinary, binary))
	check("long", echoes(socket, websocket.MessageText, []byte(long)))

	ponged := make(chan error, 1)
	writer, err := socket.Writer(all, websocket.MessageText)
	must(err)
	_, err = writer.Write([]byte("one "))
	must(err)
	go func() { ponged <- socket.Ping(all) }()
	_, err = writer.Write([]byte("two "))
	must(err)
	_, err = writer.Write([]byte("three"))
	must(err)
	must(writer.Close())
	parts := next(socket)
	must(socket.Write(all, websocket.MessageText, []byte("m0")))
	first := next(socket)
	// A pong is read while something is read for.
	reading := make(chan []byte)
	go func() { reading <- next(socket) }()
	must(<-ponged)
	check("pong", true)
	check("parts", string(parts) == "one two three")

	inOrder := string(first) == "m0"
	for i := 1; i < 100; i++ {
		must(socket.Write(all, websocket.MessageText, []byte("m"+strconv.Itoa(i))))
	}
	inOrder = inOrder && string(<-reading) == "m1"
	for i := 2; i < 100; i++ {
		inOrder = string(next(socket)) == "m"+strconv.Itoa(i) && inOrder
	}
	check("burst", inOrder)

	must(socket.Write(all, websocket.MessageText, []byte("close 4001 enough")))
	_, _, err = socket.Read(all)
	said = append(said, ended(err))

	second, _ := open()
	// It fails unless the answer has the same code.
	must(second.Close(4002, "bye"))
	said = append(said, "4002")
	fmt.Println(strings.Join(said, " "))
}

func serve() {
	ends := make(chan string, 100)
	must(http.ListenAndServe("127.0.0.1:"+where, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options := websocket.AcceptOptions{
			Subprotocols: []string{"chat.v2"}, CompressionMode: mode(), CompressionThreshold: 100}
		socket, err := websocket.Accept(w, r, &options)
		if err != nil {
			return
		}
		socket.SetReadLimit(2 << 20)
		ends <- talk(socket, packing(w.Header()), ends)
	})))
}

// Until the socket ends; returns how.
func talk(socket *websocket.Conn, packing string, ends chan string) string {
	for {
		kind, got, err := socket.Read(all)
		if err != nil {
			return ended(err)
		}
		words := strings.SplitN(string(got), " ", 3)
		switch words[0] {
		case "close":
			code, _ := strconv.Atoi(words[1])
			// It fails unless the answer has the same code.
			must(socket.Close(websocket.StatusCode(code), words[2]))
			return words[1] + ":"
		case "packing":
			got = []byte(packing)
		case "last":
			got = []byte(<-ends)
		}
		if socket.Write(all, kind, got) != nil {
			return "cut"
		}
	}
}

func main() {
	if os.Args[1] == "serve" {
		serve()
	} else {
		ask()
	}
}
