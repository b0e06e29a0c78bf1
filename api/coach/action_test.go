package coach

import (
	"hash/maphash"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestScores has an action follow an answer to grep, find or cat.
func TestScores(t *testing.T) {
	grep := Action{Kind: Search, Cmd: "grep", Form: 2, Query: `func validateToken`, Files: []string{"auth/jwt.go", "auth/jwt_test.go"}, Handle: "res_1"}
	find := Action{Kind: Search, Cmd: "find", Form: 2, Query: "*.go", Files: []string{"a.go"}}
	cat := Action{Kind: Read, Cmd: "cat", Form: 2, Files: []string{"auth/jwt.go"}, Handle: "res_2"}
	const none = -9 // not scored
	for _, test := range []struct {
		name string
		last Action
		next Action
		soon int // the score within five minutes
		late int // and after that
	}{
		{"its handle", grep, Action{Kind: Retrieve, Handle: "res_1"}, +1, none},
		{"another handle", grep, Action{Kind: Retrieve, Handle: "res_9"}, none, +2},
		{"a handle, where none was given", find, Action{Kind: Retrieve}, none, +2},
		{"the same query", grep, Action{Kind: Search, Cmd: "grep", Query: "func validateToken"}, -1, none},
		{"the same query, raw or in another form", grep, Action{Kind: Search, Cmd: "grep", Form: 3, Query: "func validateToken"}, -1, none},
		{"a similar one", grep, Action{Kind: Search, Cmd: "grep", Query: `FUNC\s+validate_token`}, -1, none},
		{"a different one", grep, Action{Kind: Search, Cmd: "grep", Query: "func refreshToken"}, none, +2},
		{"the same query of another command", grep, Action{Kind: Search, Cmd: "search", Query: "func validateToken"}, none, +2},
		{"reads what it named", grep, Action{Kind: Read, Cmd: "cat", Files: []string{"auth/jwt_test.go"}}, +2, +2},
		{"reads that among others", grep, Action{Kind: Read, Cmd: "skeleton", Files: []string{"b.go", "auth/jwt.go"}}, +2, +2},
		{"reads something else", grep, Action{Kind: Read, Cmd: "cat", Files: []string{"go.mod"}}, none, +2},
		{"reads nothing", grep, Action{Kind: Read, Cmd: "skeleton"}, none, +2},
		{"goes on", grep, Action{Kind: Other, Cmd: "impact"}, +2, +2},

		{"find once more", find, Action{Kind: Search, Cmd: "find", Query: "*.go"}, -1, none},
		{"find something else", find, Action{Kind: Search, Cmd: "find", Query: "*.py"}, none, +2},
		{"reads what was found", find, Action{Kind: Read, Cmd: "extract", Files: []string{"a.go"}}, +2, +2},

		{"more of the file", cat, Action{Kind: Retrieve, Handle: "res_2"}, +1, none},
		{"the same file", cat, Action{Kind: Read, Cmd: "cat", Files: []string{"auth/jwt.go"}}, -1, none},
		{"a definition in it", cat, Action{Kind: Read, Cmd: "extract", Files: []string{"auth/jwt.go"}}, +2, +2},
		{"the next file", cat, Action{Kind: Read, Cmd: "cat", Files: []string{"auth/jwt_test.go"}}, +2, +2},
		{"a search after reading", cat, Action{Kind: Search, Cmd: "grep", Query: "x"}, none, +2},
		{"goes on after reading", cat, Action{Kind: Other, Cmd: "invalidate"}, +2, +2},
	} {
		for _, c := range []struct {
			pause time.Duration
			want  int
		}{{0, test.soon}, {window, test.soon}, {window + time.Nanosecond, test.late}, {24 * time.Hour, test.late}} {
			coach, at := open(t, "", 1)
			coach.Saw("s", test.last)
			coach.Saw("another", Action{Kind: Other, Cmd: "impact"}) // no business of ours
			coach.Saw("", Action{Kind: Other, Cmd: "impact"})
			if r := record(t, coach, test.last.Cmd, 2); r.N != 1 || r.Scored != 0 {
				t.Fatalf("%s: before the next action: %+v", test.name, r)
			}
			at.wait(c.pause)
			coach.Saw("s", test.next)
			coach.Saw("s", Action{Kind: Other}) // the answer is closed
			r := record(t, coach, test.last.Cmd, 2)
			if c.want == none && r.Scored != 0 || c.want != none && (r.Scored != 1 || r.Mean != float64(c.want)) {
				t.Errorf("%s, after %v: %d scored, mean %v; want %d (%d: not scored)", test.name, c.pause, r.Scored, r.Mean, c.want, none)
			}
		}
	}
}

// What has no form is not counted, and neither is a form that there is not.
func TestNoForm(t *testing.T) {
	c, _ := open(t, "", 1)
	for _, a := range []Action{
		{Kind: Search, Cmd: "grep"}, {Kind: Search, Cmd: "grep", Form: 6}, {Kind: Search, Cmd: "grep", Form: -1}, {Kind: Search, Cmd: "search", Form: 1},
	} {
		c.Saw("s", a)
		c.Saw("s", Action{Kind: Other})
	}
	c.Saw("", Action{Kind: Search, Cmd: "grep", Form: 1})
	c.Saw("", Action{Kind: Other})
	if len(c.since) != 0 || c.sessions.order.Len() != 0 {
		t.Errorf("%v, %d sessions", c.since, c.sessions.order.Len())
	}
}

// An answer whose session is not heard of again is never scored.
func TestSilence(t *testing.T) {
	c, at := open(t, "", 1)
	c.Saw("gone", Action{Kind: Search, Cmd: "grep", Form: 1, Query: "x"})
	at.wait(time.Hour)
	c.Saw("here", Action{Kind: Search, Cmd: "grep", Form: 1, Query: "x"})
	if r := record(t, c, "grep", 1); r.N != 2 || r.Scored != 0 {
		t.Errorf("%+v", r)
	}
}

// The open answers of the last 1,000 sessions are kept, and what each may hold is
// bounded.
func TestSessionsAreBounded(t *testing.T) {
	c, _ := open(t, "", 1)
	files := make([]string, 5*maxFiles)
	for i := range files {
		files[i] = strconv.Itoa(i)
	}
	var query strings.Builder
	for i := range 5 * maxWords {
		query.WriteString(" w" + strconv.Itoa(i))
	}
	for i := range maxSessions + 2 { // 0 and 2 have to go
		c.Saw(strconv.Itoa(i), Action{Kind: Search, Cmd: "grep", Form: 1, Query: query.String(), Files: files})
		c.Saw("1", Action{Kind: Search, Cmd: "grep", Form: 2, Query: "x"}) // is heard of all the time
	}
	if n, m := len(c.sessions.at), c.sessions.order.Len(); n != maxSessions || m != maxSessions {
		t.Errorf("%d and %d open answers", n, m)
	}
	for _, a := range c.sessions.at {
		if a := a.Value.(entry).answer; len(a.words) > maxWords || len(a.files) > maxFiles {
			t.Fatalf("%d words, %d files", len(a.words), len(a.files))
		}
	}
	for _, test := range []struct {
		session string
		form    int
		scored  int
	}{{"0", 1, 0}, {"2", 1, 0}, {"3", 1, 1}, {"1000", 1, 1}, {"1", 2, 1}} {
		was := record(t, c, "grep", test.form).Scored
		c.Saw(test.session, Action{Kind: Other})
		if got := record(t, c, "grep", test.form).Scored - was; got != test.scored {
			t.Errorf("session %s: %d scored, want %d", test.session, got, test.scored)
		}
	}
}

func TestSimilar(t *testing.T) {
	seed := maphash.MakeSeed()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a b c d e", "a b c x y", false}, // 3 of 7
		{"a b c d", "a b c e", true},      // 3 of 5
		{"a b c", "a b", true},            // 2 of 3
		{"a b", "a", false},               // 1 of 2
		{"a a a b", "b a", true},          // a set
		{"validateToken", "Validate_Token", true},
		{"HTTPServer", "httpserver", true},
		{"validateToken", "token", false},
		{"Größe", "GRÖSSE", false},
		{"Größe", "größe", true},
		{"", "", true},
		{".*", ".*", true},
		{".*", "^$", false},
		{".*", "a", false},
	} {
		a, b := words(seed, test.a, maxWords), words(seed, test.b, maxWords)
		if similar(a, b) != test.want || similar(b, a) != test.want {
			t.Errorf("%q and %q: similar %v", test.a, test.b, !test.want)
		}
	}
}
