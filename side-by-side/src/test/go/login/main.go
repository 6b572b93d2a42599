package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	idle   = 30 * time.Minute
	cookie = "session"
)

var passwords = map[string]string{"ada": "lovelace"}

type Session struct {
	user  string
	until time.Time
}

type Sessions struct {
	mu       sync.Mutex
	sessions map[string]Session
}

func main() {
	sessions := &Sessions{sessions: map[string]Session{}}
	http.HandleFunc("POST /login", sessions.login)
	http.HandleFunc("GET /me", sessions.me)
	http.HandleFunc("POST /logout", sessions.logout)
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func (s *Sessions) login(w http.ResponseWriter, r *http.Request) {
	user := r.PostFormValue("user")
	password, known := passwords[user]
	if !known || password != r.PostFormValue("password") {
		http.Error(w, "wrong password", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookie,
		Value:    s.add(user),
		Path:     "/",
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

func (s *Sessions) me(w http.ResponseWriter, r *http.Request) {
	user, ok := s.find(r)
	if !ok {
		http.Error(w, "nobody", http.StatusUnauthorized)
		return
	}
	io.WriteString(w, user)
}

func (s *Sessions) logout(w http.ResponseWriter, r *http.Request) {
	if id, err := r.Cookie(cookie); err == nil {
		s.mu.Lock()
		delete(s.sessions, id.Value)
		s.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Sessions) add(user string) string {
	bytes := make([]byte, 16)
	rand.Read(bytes)
	id := hex.EncodeToString(bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, session := range s.sessions {
		if time.Now().After(session.until) {
			delete(s.sessions, id)
		}
	}
	s.sessions[id] = Session{user, time.Now().Add(idle)}
	return id
}

func (s *Sessions) find(r *http.Request) (string, bool) {
	id, err := r.Cookie(cookie)
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.sessions[id.Value]
	if !ok || time.Now().After(session.until) {
		return "", false
	}
	session.until = time.Now().Add(idle)
	s.sessions[id.Value] = session
	return session.user, true
}
