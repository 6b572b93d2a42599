package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

type News struct {
	mu      sync.Mutex
	readers map[chan string]bool
}

func main() {
	news := &News{readers: map[chan string]bool{}}
	http.HandleFunc("GET /news", news.open)
	http.HandleFunc("POST /news", news.publish)
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func (n *News) open(w http.ResponseWriter, r *http.Request) {
	reader := make(chan string, 100)
	n.mu.Lock()
	n.readers[reader] = true
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.readers, reader)
		n.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	flusher := http.NewResponseController(w)
	flusher.Flush()
	for {
		select {
		case text := <-reader:
			text = strings.ReplaceAll(text, "\n", "\ndata: ")
			fmt.Fprintf(w, "event: news\ndata: %s\n\n", text)
			flusher.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (n *News) publish(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for reader := range n.readers {
		select {
		case reader <- string(text):
		default:
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
