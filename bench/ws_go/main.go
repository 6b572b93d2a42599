// The WebSocket workloads of the lab with Go's net/http and gorilla/websocket: /ws sends each message back, /ws/chat to
// all that are there.
// Usage: ws_go PORT ADDRESS. Port 0 takes a free one.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/gorilla/websocket"
)

// A member that does not read is behind by so many messages at most; then it leaves.
const mostWaiting = 256

var upgrader = websocket.Upgrader{EnableCompression: true}

func echo(response http.ResponseWriter, request *http.Request) {
	socket, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return
	}
	defer socket.Close()
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil || socket.WriteMessage(kind, message) != nil {
			return
		}
	}
}

// One goroutine owns the set of members, as in the library's example of a chat.
type hub struct {
	joins    chan *member
	leaves   chan *member
	messages chan []byte
}

type member struct {
	socket  *websocket.Conn
	waiting chan *websocket.PreparedMessage
}

func (h *hub) run() {
	members := make(map[*member]struct{})
	leave := func(m *member) {
		if _, isThere := members[m]; isThere {
			delete(members, m)
			close(m.waiting)
		}
	}
	for {
		select {
		case m := <-h.joins:
			members[m] = struct{}{}
		case m := <-h.leaves:
			leave(m)
		case text := <-h.messages:
			message, err := websocket.NewPreparedMessage(websocket.TextMessage, text)
			if err != nil {
				log.Fatal(err)
			}
			for m := range members {
				select {
				case m.waiting <- message:
				default:
					leave(m)
				}
			}
		}
	}
}

func (m *member) write() {
	defer m.socket.Close()
	for message := range m.waiting {
		if m.socket.WritePreparedMessage(message) != nil {
			return
		}
	}
}

func (h *hub) chat(response http.ResponseWriter, request *http.Request) {
	socket, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return
	}
	m := &member{socket, make(chan *websocket.PreparedMessage, mostWaiting)}
	h.joins <- m
	go m.write()
	for {
		_, text, err := socket.ReadMessage()
		if err != nil {
			break
		}
		h.messages <- text
	}
	h.leaves <- m
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "ws_go PORT ADDRESS")
		os.Exit(2)
	}
	// One core, as other servers of the lab have one event loop.
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Args[2], os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	room := &hub{make(chan *member), make(chan *member), make(chan []byte)}
	go room.run()
	http.HandleFunc("/ws", echo)
	http.HandleFunc("/ws/chat", room.chat)
	fmt.Println("listening on", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
