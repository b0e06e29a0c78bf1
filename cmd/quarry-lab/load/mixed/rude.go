package mixed

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

const (
	rudeEvery = 200 * time.Millisecond // one comes
	rudeFor   = 5 * time.Second        // it stays, if it is one that stays
	rudeMost  = 40                     // at once; more are not sent
)

// rude clients connect and do one of the things that clients should not do. Nothing is
// expected of their answers; what they may not do is be felt by others.
func (m *mixed) rude(ctx context.Context) error {
	random := rand.New(rand.NewPCG(m.o.Seed, 1<<34))
	var wg sync.WaitGroup
	defer wg.Wait()
	room := make(chan struct{}, rudeMost)
	return pace(ctx, rudeEvery, func() error {
		select {
		case room <- struct{}{}:
		default:
			return nil
		}
		manner, name := rudeness(random.IntN(len(rudenesses))), m.patterns[random.IntN(len(m.patterns))]
		m.mu.Lock()
		m.r.Rude[rudenesses[manner]]++
		m.mu.Unlock()
		wg.Go(func() {
			defer func() { <-room }()
			_ = m.impose(ctx, manner, name) // it ends as it ends
		})
		return nil
	})
}

// A rudeness is one of rudenesses.
type rudeness int

const (
	readsSlowly rudeness = iota
	stopsReading
	neverReads
	hangsUp
	halfHeader
	halfBody
	saysNothing
	writesSlowly
	resets
)

var rudenesses = [...]string{
	"reads slowly", "stops reading", "never reads", "hangs up at once", "half a header",
	"half a body", "says nothing", "writes slowly", "resets while it is answered",
}

// impose does one rude thing over a connection of its own.
func (m *mixed) impose(ctx context.Context, manner rudeness, name string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(m.URL, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(4 * rudeFor)); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"pattern":"%s|func|return","raw":true}`, name)
	head := fmt.Sprintf("POST /grep HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", strings.TrimPrefix(m.URL, "http://"), len(body))
	switch manner {
	case halfHeader:
		_, err = io.WriteString(conn, head[:len(head)/2])
		rig.Pause(ctx, time.Second)
		return err
	case halfBody:
		_, err = io.WriteString(conn, head+body[:len(body)/2])
		rig.Pause(ctx, time.Second)
		return err
	case saysNothing:
		rig.Pause(ctx, 2*rudeFor)
		return nil
	case writesSlowly:
		for _, b := range []byte(head + body) {
			if _, err := conn.Write([]byte{b}); err != nil {
				return err
			}
			rig.Pause(ctx, 10*time.Millisecond)
		}
		_, err = io.Copy(io.Discard, io.LimitReader(conn, 1<<10))
		return err
	}
	if _, err := io.WriteString(conn, head+body); err != nil {
		return err
	}
	switch manner {
	case readsSlowly:
		one := make([]byte, 1)
		for began := time.Now(); time.Since(began) < rudeFor && ctx.Err() == nil; rig.Pause(ctx, 20*time.Millisecond) {
			if _, err := conn.Read(one); err != nil {
				return err
			}
		}
	case stopsReading:
		if _, err := io.CopyN(io.Discard, conn, 1<<10); err != nil {
			return err
		}
		rig.Pause(ctx, rudeFor)
	case neverReads:
		rig.Pause(ctx, rudeFor)
	case resets:
		rig.Pause(ctx, 2*time.Millisecond)
		if tcp, ok := conn.(*net.TCPConn); ok {
			return tcp.SetLinger(0)
		}
	}
	return nil
}
