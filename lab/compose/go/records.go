package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"os/signal"
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
	for {
		<-asked
		records.mutex.Lock()
		text, _ := json.Marshal(records)
		records.mutex.Unlock()
		path := fmt.Sprintf("%s.%d.json", begin, records.Pid)
		if os.WriteFile(path+".new", text, 0o644) == nil {
			_ = os.Rename(path+".new", path)
		}
	}
}
