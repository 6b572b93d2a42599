package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

var checker = &http.Client{Timeout: 2 * time.Second}

type Backend struct {
	proxy   *httputil.ReverseProxy
	check   string
	healthy atomic.Bool
}

type Upstream struct {
	backends []*Backend
	next     atomic.Uint64
}

func main() {
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", NewUpstream(os.Args[2], os.Args[3])))
	mux.Handle("/", NewUpstream(os.Args[4]))
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, mux))
}

func NewUpstream(targets ...string) *Upstream {
	upstream := &Upstream{}
	for _, target := range targets {
		to, err := url.Parse(target)
		if err != nil {
			log.Fatal(err)
		}
		backend := &Backend{check: target + "/health", proxy: &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(to)
				r.SetXForwarded()
				r.Out.Host = r.In.Host
			},
		}}
		backend.healthy.Store(true)
		go backend.watch()
		upstream.backends = append(upstream.backends, backend)
	}
	return upstream
}

func (b *Backend) watch() {
	for ; ; time.Sleep(500 * time.Millisecond) {
		response, err := checker.Get(b.check)
		healthy := err == nil && response.StatusCode/100 == 2
		if err == nil {
			response.Body.Close()
		}
		if b.healthy.Swap(healthy) != healthy {
			log.Printf("%s: healthy is %t", b.check, healthy)
		}
	}
}

func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range u.backends {
		backend := u.backends[u.next.Add(1)%uint64(len(u.backends))]
		if backend.healthy.Load() {
			backend.proxy.ServeHTTP(w, r)
			return
		}
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no healthy backend", http.StatusServiceUnavailable)
}
