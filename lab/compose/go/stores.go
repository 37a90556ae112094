package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/lib/pq"
	"github.com/redis/go-redis/v9"
)

// Stores are the pools of connections to databases and caches.
type Stores struct {
	settings *Settings
	tables   map[string]*sql.DB
	caches   map[string]*redis.Client
}

func openStores(settings *Settings) (*Stores, error) {
	s := &Stores{settings: settings, tables: map[string]*sql.DB{}, caches: map[string]*redis.Client{}}
	for name, pool := range settings.Pools {
		store := settings.Stores[pool.Store]
		if store.Kind == "redis" {
			s.caches[name] = redis.NewClient(&redis.Options{
				Addr: fmt.Sprintf("%s:%d", store.Host, store.Port), PoolSize: pool.Max, PoolTimeout: 30 * time.Second})
			continue
		}
		driver, address := "mysql", fmt.Sprintf("%s:%s@tcp(%s:%d)/%s",
			store.User, store.Password, store.Host, store.Port, store.Database)
		if store.Kind == "postgresql" {
			driver, address = "postgres", fmt.Sprintf("postgres://%s:%s@%s:%d/%s?sslmode=disable",
				store.User, store.Password, store.Host, store.Port, store.Database)
		}
		db, err := sql.Open(driver, address)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(pool.Max)
		db.SetMaxIdleConns(pool.Max)
		s.tables[name] = db
	}
	return s, nil
}

func (s *Stores) query(ctx context.Context, visit *Visit, step *Step) error {
	store := s.settings.Stores[s.settings.Pools[step.Name].Store]
	begin := time.Now()
	connection, err := s.tables[step.Name].Conn(ctx)
	visit.add("line:pool:"+step.Name, begin)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer visit.add("db", time.Now())
	for range max(step.Count, 1) {
		if err := statement(ctx, connection, &store, step); err != nil {
			return err
		}
	}
	return nil
}

func statement(ctx context.Context, connection *sql.Conn, store *Store, step *Step) error {
	number := 1 + rand.Intn(store.Rows)
	switch step.How {
	case "change":
		if step.Keep > 0 {
			number = 1 + rand.Intn(step.Keep)
		}
		return change(ctx, connection, store, step, number)
	case "list":
		return read(ctx, connection, fmt.Sprintf(
			"SELECT amount_cents FROM %s WHERE customer_id = %d", store.Table, 1+number%(store.Rows/100)))
	}
	return read(ctx, connection, fmt.Sprintf("SELECT amount_cents FROM %s WHERE id = %d", store.Table, number))
}

// change writes a row, and holds what it has for so long as the step says.
func change(ctx context.Context, connection *sql.Conn, store *Store, step *Step, number int) error {
	transaction, err := connection.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = transaction.Rollback() }()
	_, err = transaction.ExecContext(ctx, fmt.Sprintf(
		"UPDATE %s SET amount_cents = amount_cents + 1 WHERE id = %d", store.Table, number))
	if err != nil {
		return err
	}
	time.Sleep(milliseconds(step.Ms))
	return transaction.Commit()
}

func read(ctx context.Context, connection *sql.Conn, text string) error {
	rows, err := connection.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var amount int
		if err := rows.Scan(&amount); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *Stores) get(ctx context.Context, visit *Visit, step *Step) error {
	defer visit.add("cache", time.Now())
	for range max(step.Count, 1) {
		key := fmt.Sprintf("entry:%d", rand.Intn(1000))
		err := s.caches[step.Name].Get(ctx, key).Err()
		if err != nil && err != redis.Nil {
			return err
		}
	}
	return nil
}
