package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

type Room struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Seats int    `json:"seats"`
}

type Problem struct {
	Field  string `json:"field,omitempty"`
	Detail string `json:"detail"`
}

type Rooms struct {
	mu    sync.Mutex
	rooms map[int64]Room
	ids   int64
}

func main() {
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, NewRooms()))
}

func NewRooms() http.Handler {
	rooms := &Rooms{rooms: map[int64]Room{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rooms", rooms.list)
	mux.HandleFunc("POST /rooms", rooms.create)
	mux.HandleFunc("GET /rooms/{id}", rooms.show)
	mux.HandleFunc("PUT /rooms/{id}", rooms.change)
	mux.HandleFunc("DELETE /rooms/{id}", rooms.remove)
	return mux
}

func (s *Rooms) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Room, 0, len(s.rooms))
	for _, room := range s.rooms {
		all = append(all, room)
	}
	slices.SortFunc(all, func(a, b Room) int { return cmp.Compare(a.ID, b.ID) })
	answer(w, http.StatusOK, all)
}

func (s *Rooms) create(w http.ResponseWriter, r *http.Request) {
	room, ok := read(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	room.ID = s.ids
	s.rooms[room.ID] = room
	w.Header().Set("Location", fmt.Sprintf("/rooms/%d", room.ID))
	answer(w, http.StatusCreated, room)
}

func (s *Rooms) show(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if room, ok := s.find(w, r); ok {
		answer(w, http.StatusOK, room)
	}
}

func (s *Rooms) change(w http.ResponseWriter, r *http.Request) {
	room, ok := read(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.find(w, r); ok {
		room.ID = old.ID
		s.rooms[room.ID] = room
		answer(w, http.StatusOK, room)
	}
}

func (s *Rooms) remove(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if room, ok := s.find(w, r); ok {
		delete(s.rooms, room.ID)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Rooms) find(w http.ResponseWriter, r *http.Request) (Room, bool) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		answer(w, http.StatusBadRequest, []Problem{{Detail: "the id is no number"}})
		return Room{}, false
	}
	room, ok := s.rooms[id]
	if !ok {
		answer(w, http.StatusNotFound, []Problem{{Detail: "there is no such room"}})
	}
	return room, ok
}

func read(w http.ResponseWriter, r *http.Request) (Room, bool) {
	var room Room
	body := http.MaxBytesReader(w, r.Body, 1<<20)
	if err := json.NewDecoder(body).Decode(&room); err != nil {
		answer(w, http.StatusBadRequest, []Problem{{Detail: err.Error()}})
		return room, false
	}
	var problems []Problem
	if strings.TrimSpace(room.Name) == "" {
		problems = append(problems, Problem{"name", "is empty"})
	}
	if room.Seats < 1 {
		problems = append(problems, Problem{"seats", "is less than 1"})
	}
	if problems != nil {
		answer(w, http.StatusUnprocessableEntity, problems)
	}
	return room, problems == nil
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
