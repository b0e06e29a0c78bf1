package mixed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// A question is a request and what is known of its answer.
type question struct {
	name   string // in the report
	method string
	path   string // with the query of a URL
	body   []byte
	header map[string]string
	codes  []int // that are right; none: 200. check tells which of several is
	check  func(r *reply) []string
}

// A reply is what came of a question.
type reply struct {
	code           int
	header         http.Header
	body           []byte
	sent, answered time.Time
	window         model.Window
}

// post is a question with a JSON body.
func post(name, path string, fields map[string]any, check func(*reply) []string) question {
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err) // there are only strings, numbers and lists
	}
	return question{name: name, method: http.MethodPost, path: path, body: body, check: check}
}

// fetch is a question by URL.
func fetch(name, path string, fields map[string]string, check func(*reply) []string) question {
	if len(fields) > 0 {
		v := url.Values{}
		for name, value := range fields {
			v.Set(name, value)
		}
		path += "?" + v.Encode()
	}
	return question{name: name, method: http.MethodGet, path: path, check: check}
}

// ask sends a question over a client's connection.
func (m *mixed) ask(ctx context.Context, c *http.Client, q question) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, m.URL+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	r := &reply{sent: time.Now()}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	r.body, err = io.ReadAll(resp.Body)
	r.answered, r.code, r.header = time.Now(), resp.StatusCode, resp.Header
	return r, err
}

// client asks by a fixed schedule: what is late is asked at once, and its time counts from
// when it was due.
func (m *mixed) client(ctx context.Context, number int, began time.Time) {
	random := rand.New(rand.NewPCG(m.o.Seed, uint64(number)))
	c := &http.Client{Timeout: load.AskTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 1, MaxConnsPerHost: 1}}
	defer c.CloseIdleConnections()
	every := time.Duration(float64(m.o.c) / m.o.rate * float64(time.Second))
	due := began.Add(every * time.Duration(number) / time.Duration(m.o.c))
	for ; ; due = due.Add(every) {
		if wait := time.Until(due); wait > 0 {
			rig.Pause(ctx, wait)
		}
		if ctx.Err() != nil {
			return
		}
		m.one(context.WithoutCancel(ctx), c, m.draw(random), due)
	}
}

// one asks a question, notes its times and judges the answer. What is due before the
// connection is free again waits, and its time counts, but not that of the judgement,
// which is another processor's time on a machine of its own.
func (m *mixed) one(ctx context.Context, c *http.Client, q question, due time.Time) {
	m.mu.Lock()
	oldest := m.generation
	m.mu.Unlock()
	r, err := m.ask(ctx, c, q)
	if err != nil {
		m.wrong(q, nil, []string{"no answer: " + err.Error()})
		return
	}
	r.window = model.Window{From: r.sent.Add(-m.o.visible), To: r.answered, Sent: r.sent}
	m.note(q.name, r.code, r.answered.Sub(due), r.answered.Sub(r.sent))
	if honest(r) {
		return
	}
	wrong := m.generationOf(r, oldest)
	codes := q.codes
	if codes == nil {
		codes = []int{http.StatusOK}
	}
	if !slices.Contains(codes, r.code) {
		wrong = append(wrong, fmt.Sprintf("the status is %d, not one of %v", r.code, codes))
	} else if q.check != nil {
		wrong = append(wrong, q.check(r)...)
	}
	wrong = append(wrong, m.schema(q, r)...)
	if len(wrong) > 0 {
		m.wrong(q, r, wrong)
	}
}

// honest reports whether an answer says that there is no room, and when to come again.
func honest(r *reply) bool {
	return (r.code == http.StatusServiceUnavailable || r.code == http.StatusTooManyRequests) && r.header.Get("Retry-After") != ""
}

// generationOf checks that the index has not gone back since an answer that was there
// before the question was sent.
func (m *mixed) generationOf(r *reply, oldest int) []string {
	text := r.header.Get("X-Index-Generation")
	if text == "" {
		return nil
	}
	g, err := strconv.Atoi(text)
	if err != nil || g < oldest {
		return []string{fmt.Sprintf("the generation is %s, after an answer of generation %d", text, oldest)}
	}
	m.mu.Lock()
	m.generation = max(m.generation, g)
	m.mu.Unlock()
	return nil
}

// note counts an answer.
func (m *mixed) note(name string, code int, took, service time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.ends[name]
	if e == nil {
		e = &endpoint{codes: map[int]int{}}
		m.ends[name] = e
	}
	e.codes[code]++
	e.times, e.service = append(e.times, took), append(e.service, service)
}

// shownWrong bounds how many wrong answers are printed, and shownBody how much of each.
const (
	shownWrong = 40
	shownBody  = 6000
)

// wrong counts an answer that is not right, and prints it with the question.
func (m *mixed) wrong(q question, r *reply, why []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.r.Wrong++
	m.wrongs[q.name]++
	if m.r.Wrong > shownWrong {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "WRONG %d after %.1f s: %s %s %s\n", m.r.Wrong, time.Since(m.started).Seconds(), q.method, q.path, q.body)
	for _, one := range why {
		fmt.Fprintf(&b, "  %.3000s\n", one)
	}
	if r != nil {
		fmt.Fprintf(&b, "  sent %s, answered after %s, looked at from %s\n  %d %.*s\n", r.sent.Format(clock), r.answered.Sub(r.sent), r.window.From.Format(clock), r.code, shownBody, r.body)
	}
	fmt.Fprint(m.log, b.String())
}

const clock = "15:04:05.000"

// counts are the names of a map with their numbers, in order.
func counts[K ~string | ~int](all map[K]int) string {
	var list []string
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		list = append(list, fmt.Sprintf("%v %d", name, all[name]))
	}
	return strings.Join(list, ", ")
}
