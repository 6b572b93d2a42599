package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"time"
)

var (
	idempotent = []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}
	statuses   = []int{429, 502, 503, 504}
)

func main() {
	timeout, err := time.ParseDuration(os.Args[2] + "ms")
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	go cancelOnEnter(cancel)
	status, body, err := fetch(ctx, os.Args[1])
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println("timed out")
	case errors.Is(err, context.Canceled):
		fmt.Println("cancelled")
	case err != nil:
		fmt.Println("failed:", err)
	default:
		fmt.Println(status, body)
	}
}

func cancelOnEnter(cancel func()) {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
		cancel()
	}
}

func fetch(ctx context.Context, url string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := send(request, 3, 100*time.Millisecond)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

func send(request *http.Request, attempts int, backoff time.Duration) (*http.Response, error) {
	if !slices.Contains(idempotent, request.Method) {
		attempts = 1
	}
	for attempt := 1; ; attempt++ {
		response, err := http.DefaultClient.Do(request)
		if attempt == attempts || request.Context().Err() != nil {
			return response, err
		}
		if err == nil {
			if !slices.Contains(statuses, response.StatusCode) {
				return response, nil
			}
			response.Body.Close()
		}
		select {
		case <-time.After(backoff/2 + rand.N(backoff/2)):
			backoff *= 2
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}
