package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/redis/go-redis/v9"
)

// Service is what the routes share.
type Service struct {
	settings *Settings
	records  *Records
	stores   *Stores
	gates    map[string]chan struct{}
	locks    map[string]*sync.Mutex
	clients  map[string]*http.Client
	jobs     map[string]*redis.Client
	heap     [][]byte
	keeping  sync.Mutex
	serial   atomic.Int64
	resolver *net.Resolver
	kept     *Kept
	log      *Log
}

func open(settings *Settings) (*Service, error) {
	s := &Service{settings: settings, records: newRecords(), gates: map[string]chan struct{}{},
		locks: map[string]*sync.Mutex{}, clients: map[string]*http.Client{},
		jobs: map[string]*redis.Client{}}
	for name, gate := range settings.Gates {
		s.gates[name] = make(chan struct{}, gate.Permits)
	}
	for name := range settings.Locks {
		s.locks[name] = &sync.Mutex{}
	}
	for name, neighbour := range settings.Neighbours {
		s.clients[name] = &http.Client{Transport: &http.Transport{
			MaxConnsPerHost: neighbour.Max, MaxIdleConnsPerHost: 1000}}
		if neighbour.Jobs != nil {
			s.jobs[name] = neighbour.Jobs.open()
		}
	}
	ask := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, settings.Names)
	}
	s.resolver = &net.Resolver{PreferGo: true, Dial: ask}
	s.kept = openKept(settings.Kept)
	s.log = &Log{folder: settings.Logs}
	var err error
	s.stores, err = openStores(settings)
	return s, err
}

func (s *Service) take(ctx context.Context, visit *Visit, steps []Step) error {
	for i := range steps {
		if err := s.one(ctx, visit, &steps[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) one(ctx context.Context, visit *Visit, step *Step) error {
	begin := time.Now()
	switch step.Do {
	case "work":
		visit.working(func() { work(step.How, step.Rounds) })
	case "pause", "block":
		time.Sleep(milliseconds(step.Ms))
		visit.add("pause", begin)
	case "inside":
		gate := s.gates[step.Name]
		gate <- struct{}{}
		visit.add("line:gate:"+step.Name, begin)
		defer func() { <-gate }()
		return s.take(ctx, visit, step.Steps)
	case "alone":
		lock := s.locks[step.Name]
		lock.Lock()
		visit.add("line:lock:"+step.Name, begin)
		defer lock.Unlock()
		return s.take(ctx, visit, step.Steps)
	case "resolve":
		err := s.resolve(ctx, step.Name)
		visit.add("names", begin)
		return err
	case "call":
		if step.Share == 0 || visit.random() < step.Share {
			return s.call(ctx, visit, step)
		}
	case "leave":
		return s.leave(ctx, visit, step.Name)
	case "together":
		return s.together(ctx, visit, step.Steps)
	case "refuse":
		if visit.random() < step.Share {
			visit.status = http.StatusServiceUnavailable
			return errors.New("not now")
		}
	case "query":
		return s.stores.query(ctx, visit, step)
	case "get":
		return s.stores.get(ctx, visit, step)
	case "store":
		err := s.store(step)
		visit.add("disk", begin)
		return err
	case "allocate":
		visit.working(func() { s.allocate(step) })
	case "remember":
		return s.remember(ctx, visit, step)
	case "log":
		s.log.line(visit, step)
	case "body":
		visit.bytes = step.Bytes
	default:
		return fmt.Errorf("no step %q", step.Do)
	}
	return nil
}

// working computes; a goroutine that has changed its thread meanwhile had a CPU all the time, as far as is known.
func (v *Visit) working(task func()) {
	begin := time.Now()
	tid, cpu := threadCPU()
	task()
	after, now := threadCPU()
	spent := time.Since(begin)
	if tid == after {
		v.spent["work_cpu"] += min(now-cpu, spent)
	} else {
		v.spent["work_cpu"] += spent
	}
	v.spent["work"] += spent
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// resolve looks up a name that nobody asked for before: lookups of one name that meet would be one.
func (s *Service) resolve(ctx context.Context, name string) error {
	unique := fmt.Sprintf("%s-%d.example.", name, s.serial.Add(1))
	_, err := s.resolver.LookupNetIP(ctx, "ip4", unique)
	return err
}

// call asks a neighbour, so often as it says that it cannot.
func (s *Service) call(ctx context.Context, visit *Visit, step *Step) error {
	for try := 1; ; try++ {
		status, err := s.ask(ctx, visit, step.Name)
		if err != nil {
			return err
		}
		if status == http.StatusOK {
			return nil
		}
		if try >= step.Tries {
			return fmt.Errorf("%s responds with %d", step.Name, status)
		}
		begin := time.Now()
		time.Sleep(milliseconds(step.AgainMs))
		visit.add("pause", begin)
	}
}

// together takes steps at once, each as a visit of its own.
func (s *Service) together(ctx context.Context, visit *Visit, steps []Step) error {
	begin := time.Now()
	branches, failures := make([]*Visit, len(steps)), make([]error, len(steps))
	var all sync.WaitGroup
	for i := range steps {
		branches[i] = newVisit()
		all.Add(1)
		go func() {
			defer all.Done()
			failures[i] = s.one(ctx, branches[i], &steps[i])
		}()
	}
	all.Wait()
	visit.absorb(branches, time.Since(begin))
	return errors.Join(failures...)
}

func (s *Service) ask(ctx context.Context, visit *Visit, name string) (int, error) {
	begin := time.Now()
	var got time.Time
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { got = time.Now() }})
	request, err := http.NewRequestWithContext(traced, http.MethodGet, s.settings.Neighbours[name].URL, nil)
	if err != nil {
		return 0, err
	}
	response, err := s.clients[name].Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	visit.spent["line:call:"+name] += got.Sub(begin)
	visit.spent["call:"+name] += time.Since(got)
	return response.StatusCode, err
}

func (s *Service) store(step *Step) error {
	for range max(step.Count, 1) {
		if err := s.storeOne(step); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) storeOne(step *Step) error {
	path := filepath.Join(s.settings.Directory, fmt.Sprintf("part-%d", s.serial.Add(1)%64))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(bytes.Repeat([]byte("x"), step.Bytes)); err != nil {
		return err
	}
	if step.Sync {
		return file.Sync()
	}
	return nil
}

func (s *Service) allocate(step *Step) {
	last := make([][]byte, 64)
	for i := range step.Bytes / 1024 {
		last[i%len(last)] = make([]byte, 1024)
	}
	if step.Keep > 0 {
		s.keeping.Lock()
		s.heap = append(s.heap, make([]byte, step.Keep))
		s.keeping.Unlock()
	}
	result.Add(uint64(len(last[0])))
}

var (
	document = strings.Repeat(`{"id":17,"text":"a line of words","price":12.5,"tags":["x","y","z"]},`, 20)
	packers  = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	pattern  = regexp.MustCompile(`"price":([0-9]+)\.([0-9]+)`)
)

// work computes; one round is about 0.1 ms.
func work(how string, rounds int) {
	for range rounds {
		switch how {
		case "json":
			for range 2 {
				var found []map[string]any
				_ = json.Unmarshal([]byte("["+document[:len(document)-1]+"]"), &found)
			}
		case "regex":
			for range 14 {
				_ = pattern.FindAllString(document, -1)
			}
		case "gzip":
			packer := packers.Get().(*gzip.Writer)
			for range 3 {
				packer.Reset(io.Discard)
				_, _ = packer.Write([]byte(document))
				_ = packer.Close()
			}
			packers.Put(packer)
		case "hash":
			for range 45 {
				_ = sha256.Sum256([]byte(document))
			}
		default:
			own()
		}
	}
}

var result atomic.Uint64

func own() {
	sum := uint64(17)
	for i := uint64(0); i < 65_000; i++ {
		sum = sum*31 + i%7
	}
	result.Store(sum)
}

// threadCPU is the time that this thread has had a CPU, and which thread it is.
func threadCPU() (int, time.Duration) {
	var spent syscall.Timespec
	const thread = 3
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&spent)), 0)
	if failed != 0 {
		return 0, 0
	}
	return syscall.Gettid(), time.Duration(spent.Nano())
}
