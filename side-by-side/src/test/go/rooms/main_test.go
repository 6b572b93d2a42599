package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func call(app http.Handler, method, path, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	app.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	return recorder
}

func TestRoomIsMadeChangedAndRemoved(t *testing.T) {
	app := NewRooms()
	made := call(app, "POST", "/rooms", `{"name":"blue","seats":3}`)
	if made.Code != http.StatusCreated || made.Header().Get("Location") != "/rooms/1" {
		t.Fatalf("made: %d %v", made.Code, made.Header())
	}

	changed := call(app, "PUT", "/rooms/1", `{"name":"red","seats":4}`)
	if changed.Code != http.StatusOK {
		t.Fatalf("changed: %d", changed.Code)
	}
	var room Room
	read := call(app, "GET", "/rooms/1", "")
	if err := json.NewDecoder(read.Body).Decode(&room); err != nil || room != (Room{1, "red", 4}) {
		t.Fatalf("read: %v %v", room, err)
	}

	if removed := call(app, "DELETE", "/rooms/1", ""); removed.Code != http.StatusNoContent {
		t.Fatalf("removed: %d", removed.Code)
	}
	if gone := call(app, "GET", "/rooms/1", ""); gone.Code != http.StatusNotFound {
		t.Fatalf("gone: %d", gone.Code)
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	refused := call(NewRooms(), "POST", "/rooms", `{"name":" ","seats":0}`)
	if refused.Code != http.StatusUnprocessableEntity {
		t.Fatalf("refused: %d", refused.Code)
	}
	body := refused.Body.String()
	if !strings.Contains(body, "is empty") || !strings.Contains(body, "is less than 1") {
		t.Fatal(body)
	}
}
