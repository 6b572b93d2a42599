package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	folder := os.Args[2]
	http.HandleFunc("POST /photos", func(w http.ResponseWriter, r *http.Request) {
		save(w, r, folder)
	})
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func save(w http.ResponseWriter, r *http.Request, folder string) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	photo, _, err := r.FormFile("photo")
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "no photo", http.StatusBadRequest)
		return
	}
	defer photo.Close()
	id := newID()
	if err := copyTo(filepath.Join(folder, id), photo); err != nil {
		http.Error(w, "not saved", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Location", "/photos/"+id)
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, cmp.Or(r.FormValue("title"), "untitled"))
}

func newID() string {
	id := make([]byte, 16)
	rand.Read(id)
	return fmt.Sprintf("%x", id)
}

func copyTo(path string, from io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, from); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
