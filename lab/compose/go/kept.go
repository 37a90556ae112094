package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand"
	"net"
	"strings"
	"time"
)

// Kept is a pool of connections to a memcached.
type Kept struct {
	address string
	idle    chan *keptConnection
}

type keptConnection struct {
	net.Conn
	from *bufio.Reader
}

const keptIdle = 32

func openKept(address string) *Kept {
	return &Kept{address: address, idle: make(chan *keptConnection, keptIdle)}
}

// remember looks for one of so many things of a size; what is not there is made by the steps, and put there. As most
// clients do, it does not ask whether it was taken.
func (s *Service) remember(ctx context.Context, visit *Visit, step *Step) error {
	key := fmt.Sprintf("%s:%d", step.Name, rand.Intn(step.Keep))
	begin := time.Now()
	found, err := s.kept.get(key)
	visit.add("kept", begin)
	if err != nil || found {
		return err
	}
	if err := s.take(ctx, visit, step.Steps); err != nil {
		return err
	}
	defer visit.add("kept", time.Now())
	return s.kept.set(key, step.Bytes)
}

func (k *Kept) get(key string) (bool, error) {
	found := false
	err := k.with(func(c *keptConnection) error {
		fmt.Fprintf(c, "get %s\r\n", key)
		line, err := c.from.ReadString('\n')
		if err != nil || strings.HasPrefix(line, "END") {
			return err
		}
		var name string
		var flags, bytes int64
		if _, err := fmt.Sscanf(line, "VALUE %s %d %d", &name, &flags, &bytes); err != nil {
			return fmt.Errorf("memcached responds with %q", line)
		}
		found = true
		_, err = io.CopyN(io.Discard, c.from, bytes+int64(len("\r\nEND\r\n")))
		return err
	})
	return found, err
}

func (k *Kept) set(key string, bytes int) error {
	return k.with(func(c *keptConnection) error {
		fmt.Fprintf(c, "set %s 0 0 %d\r\n%s\r\n", key, bytes, strings.Repeat("x", bytes))
		_, err := c.from.ReadString('\n')
		return err
	})
}

// with lends a connection; one that failed is not used again.
func (k *Kept) with(do func(*keptConnection) error) error {
	var connection *keptConnection
	select {
	case connection = <-k.idle:
	default:
		made, err := net.Dial("tcp", k.address)
		if err != nil {
			return err
		}
		connection = &keptConnection{made, bufio.NewReader(made)}
	}
	if err := do(connection); err != nil {
		connection.Close()
		return err
	}
	select {
	case k.idle <- connection:
	default:
		connection.Close()
	}
	return nil
}
