package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Visit is one request: what it spent its time on.
type Visit struct {
	begin  time.Time
	spent  map[string]time.Duration
	status int
	bytes  int
	random func() float64
}

func (v *Visit) add(what string, since time.Time) { v.spent[what] += time.Since(since) }

func newVisit() *Visit {
	return &Visit{begin: time.Now(), spent: map[string]time.Duration{}, random: rand.Float64}
}

// absorb adds what branches spent that were there at once: each has its share of the time that all of them took. How long
// calls took as such is noted beside it.
func (v *Visit) absorb(branches []*Visit, took time.Duration) {
	var all time.Duration
	for _, branch := range branches {
		for _, spent := range branch.spent {
			all += spent
		}
	}
	for _, branch := range branches {
		for what, spent := range branch.spent {
			v.spent[what] += time.Duration(float64(spent) * took.Seconds() / all.Seconds())
			if name, is := strings.CutPrefix(what, "call:"); is {
				v.spent["whole:"+name] += spent
			}
		}
		v.status = max(v.status, branch.status)
	}
}

func (v *Visit) body() []byte {
	if v.bytes == 0 {
		return []byte("done\n")
	}
	return bytes.Repeat([]byte("x"), v.bytes)
}

// Records are sums over all requests so far.
type Records struct {
	mutex     sync.Mutex
	Pid       int                `json:"pid"`
	Requests  int                `json:"requests"`
	Failed    int                `json:"failed"`
	TotalMs   float64            `json:"total_ms"`
	Sums      map[string]float64 `json:"sums"`
	Histogram [32]int            `json:"histogram_log2_us"`
}

func newRecords() *Records { return &Records{Pid: os.Getpid(), Sums: map[string]float64{}} }

func (r *Records) add(visit *Visit) {
	total := time.Since(visit.begin)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.Requests++
	if visit.status >= 400 {
		r.Failed++
	}
	r.TotalMs += total.Seconds() * 1000
	for what, spent := range visit.spent {
		r.Sums[what] += spent.Seconds() * 1000
	}
	r.Histogram[min(bits.Len64(uint64(total.Microseconds())), 31)]++
}

// writeWhenAsked writes the sums to a file at each SIGUSR2.
func writeWhenAsked(records *Records, begin string) {
	asked := make(chan os.Signal, 8)
	signal.Notify(asked, syscall.SIGUSR2)
	// Kept open: a service with few descriptors has none left under load. Who reads it half written reads it again.
	file, err := os.Create(fmt.Sprintf("%s.%d.json", begin, records.Pid))
	for err == nil {
		<-asked
		records.mutex.Lock()
		text, _ := json.Marshal(records)
		records.mutex.Unlock()
		if _, err = file.WriteAt(text, 0); err == nil {
			err = file.Truncate(int64(len(text)))
		}
	}
	log.Print(err)
}
