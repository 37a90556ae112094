package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// Jobs is a list in Redis in which jobs are left for whoever takes them.
type Jobs struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	List string `json:"list"`
}

// Job says where its end is waited for, and when it was left.
type Job struct {
	Reply string `json:"reply"`
	AtNs  int64  `json:"at_ns"`
}

const (
	jobWithin = 30 * time.Second
	jobDone   = "done"
)

func (j *Jobs) open() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: fmt.Sprintf("%s:%d", j.Host, j.Port), PoolSize: 1000})
}

// leave leaves a job for a neighbour, and waits until it is done.
func (s *Service) leave(ctx context.Context, visit *Visit, name string) error {
	begin := time.Now()
	reply := fmt.Sprintf("done:%s:%d:%d", s.settings.Name, os.Getpid(), s.serial.Add(1))
	text, err := json.Marshal(Job{reply, begin.UnixNano()})
	if err != nil {
		return err
	}
	list := s.settings.Neighbours[name].Jobs.List
	if err := s.jobs[name].LPush(ctx, list, text).Err(); err != nil {
		return err
	}
	got, err := s.jobs[name].BLPop(ctx, jobWithin, reply).Result()
	visit.add("call:"+name, begin)
	if err == nil && got[1] != jobDone {
		err = fmt.Errorf("%s: %s", name, got[1])
	}
	return err
}

// takeJobs does jobs, so many at a time, for ever.
func (s *Service) takeJobs() {
	jobs := s.settings.Jobs
	client := jobs.open()
	for range s.settings.Threads {
		go func() {
			for {
				if err := s.takeJob(client, jobs.List); err != nil && !errors.Is(err, redis.Nil) {
					log.Printf("%s: %v", jobs.List, err)
					time.Sleep(time.Second)
				}
			}
		}()
	}
}

func (s *Service) takeJob(client *redis.Client, list string) error {
	ctx := context.Background()
	got, err := client.BRPop(ctx, time.Second, list).Result()
	if err != nil {
		return err
	}
	var job Job
	if err := json.Unmarshal([]byte(got[1]), &job); err != nil {
		return err
	}
	visit := newVisit()
	visit.begin = time.Unix(0, job.AtNs)
	visit.add("line:jobs", visit.begin)
	said := jobDone
	for _, steps := range s.settings.Routes {
		if err := s.take(ctx, visit, steps); err != nil {
			said, visit.status = err.Error(), http.StatusInternalServerError
		}
	}
	defer s.records.add(visit)
	return client.LPush(ctx, job.Reply, said).Err()
}
