package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Log is a file that each request writes a line to.
type Log struct {
	folder string
	mutex  sync.Mutex
	file   *os.File
}

// line writes one, so often as the step says where it cannot; a request does not fail for want of it.
func (l *Log) line(visit *Visit, step *Step) {
	text := strings.Repeat("a line of words ", step.Bytes/16) + "\n"
	for try := 1; ; try++ {
		begin := time.Now()
		err := l.write(text)
		visit.add("disk", begin)
		if err == nil || try >= step.Tries {
			return
		}
		begin = time.Now()
		time.Sleep(milliseconds(step.AgainMs))
		visit.add("pause", begin)
	}
}

func (l *Log) write(text string) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.file == nil {
		path := filepath.Join(l.folder, "requests.log")
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		l.file = file
	}
	_, err := l.file.WriteString(text)
	return err
}
