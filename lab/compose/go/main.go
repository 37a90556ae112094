// A service whose routes are lists of steps from a JSON file: main CONFIG.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// Settings is the file that a service is started with; lab/compose/README.md describes it.
type Settings struct {
	Name       string               `json:"name"`
	Host       string               `json:"host"`
	Port       int                  `json:"port"`
	Records    string               `json:"records"`
	Directory  string               `json:"directory"`
	Gates      map[string]Gate      `json:"gates"`
	Locks      map[string]struct{}  `json:"locks"`
	Pools      map[string]Pool      `json:"pools"`
	Stores     map[string]Store     `json:"stores"`
	Neighbours map[string]Neighbour `json:"neighbours"`
	Jobs       *Jobs                `json:"jobs"`
	Threads    int                  `json:"threads"`
	Names      string               `json:"names"`
	Kept       string               `json:"kept"`
	Logs       string               `json:"logs"`
	Routes     map[string][]Step    `json:"routes"`
}

// Gate lets so many in at a time.
type Gate struct {
	Permits int `json:"permits"`
}

// Pool keeps connections to a store.
type Pool struct {
	Store string `json:"store"`
	Max   int    `json:"max"`
}

// Store is a database or a cache.
type Store struct {
	Kind     string `json:"kind"`
	Host     string `json:"host"`
	Port     int    `json:"port"`
	User     string `json:"user"`
	Password string `json:"password"`
	Database string `json:"database"`
	Table    string `json:"table"`
	Rows     int    `json:"rows"`
}

// Neighbour is another service; Max is how many connections are kept to it, 0 for any number.
type Neighbour struct {
	URL  string `json:"url"`
	Max  int    `json:"max"`
	Jobs *Jobs  `json:"jobs"`
}

// Step is one thing a route does.
type Step struct {
	Do      string  `json:"do"`
	How     string  `json:"how"`
	Name    string  `json:"name"`
	Rounds  int     `json:"rounds"`
	Ms      float64 `json:"ms"`
	Share   float64 `json:"share"`
	Tries   int     `json:"tries"`
	AgainMs float64 `json:"again_ms"`
	Count   int     `json:"count"`
	Bytes   int     `json:"bytes"`
	Sync    bool    `json:"sync"`
	Keep    int     `json:"keep"`
	Steps   []Step  `json:"steps"`
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var settings Settings
	if err := json.Unmarshal(text, &settings); err != nil {
		log.Fatal(err)
	}
	service, err := open(&settings)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", settings.Host, settings.Port))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: service.handler()}
	if settings.Jobs != nil {
		service.takeJobs()
	}
	go writeWhenAsked(service.records, filepath.Join(settings.Records, settings.Name))
	go func() {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
		<-stop
		ended, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ended)
		os.Exit(0)
	}()
	log.Print(server.Serve(listener))
	select {}
}

func (s *Service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ready") })
	for path, steps := range s.settings.Routes {
		steps := steps
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			visit := newVisit()
			if err := s.take(r.Context(), visit, steps); err != nil && visit.status == 0 {
				log.Printf("%s: %v", path, err)
				visit.status = http.StatusInternalServerError
			}
			body := visit.body()
			w.Header().Set("Content-Type", "text/plain")
			if visit.status != 0 {
				w.WriteHeader(visit.status)
			}
			_, _ = w.Write(body)
			s.records.add(visit)
		})
	}
	return mux
}
