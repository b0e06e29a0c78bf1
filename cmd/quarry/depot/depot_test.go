package depot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/cmd/quarry/depot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	bucket = "team"
	secret = "a-secret-that-nobody-sees"
)

// A place is one for snapshots, and what tests do to it without the package.
type place struct {
	depot.Place
	write func(name, text string) // "": removes it
	names func() []string         // of the objects
	age   func(time.Duration)     // makes what is there older
}

// folderPlace is a folder.
func folderPlace(t *testing.T) *place {
	dir := t.TempDir()
	walk := func(do func(path string)) {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				do(path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	p := &place{Place: depot.Place{Folder: dir}}
	p.write = func(name, text string) {
		path := filepath.Join(dir, name)
		err := os.Remove(path)
		if text != "" {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.names = func() (names []string) {
		walk(func(path string) {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.Ext(path) != ".lock" {
				names = append(names, filepath.ToSlash(rel))
			}
		})
		return names
	}
	p.age = func(by time.Duration) {
		then := time.Now().Add(-by)
		walk(func(path string) {
			if err := os.Chtimes(path, then, then); err != nil {
				t.Fatal(err)
			}
		})
	}
	return p
}

// bucketPlace is a bucket of a store, which refuses other credentials than those that the
// environment has. before is asked about each request, and returns true if it has answered.
func bucketPlace(t *testing.T, before func(w http.ResponseWriter, r *http.Request) bool) *place {
	t.Setenv("AWS_ACCESS_KEY_ID", "us")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	clock := gofakes3.FixedTimeSource(time.Now())
	backend := s3mem.New(s3mem.WithTimeSource(clock))
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithTimeSource(clock), gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before != nil && before(w, r) {
			return
		}
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=us/") {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>InvalidAccessKeyId</Code><Message>The key does not exist.</Message></Error>")
			return
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	at, err := depot.ParsePlace("s3://"+bucket+"/some/where?endpoint="+server.URL+"&region=here", "", "")
	if err != nil {
		t.Fatal(err)
	}
	p := &place{Place: at}
	p.write = func(name, text string) {
		var err error
		if text == "" {
			_, err = backend.DeleteObject(bucket, "some/where/"+name)
		} else {
			_, err = backend.PutObject(bucket, "some/where/"+name, map[string]string{}, strings.NewReader(text), int64(len(text)), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.names = func() (names []string) {
		all, err := backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all.Contents {
			names = append(names, strings.TrimPrefix(o.Key, "some/where/"))
		}
		return names
	}
	p.age = func(by time.Duration) { clock.Advance(-by) } // of what is written from now on
	return p
}

// each runs a test with a folder and with a bucket.
func each(t *testing.T, test func(t *testing.T, p *place)) {
	t.Run("folder", func(t *testing.T) { test(t, folderPlace(t)) })
	t.Run("bucket", func(t *testing.T) { test(t, bucketPlace(t, nil)) })
}

func open(t *testing.T, p *place, keep int) *depot.Depot {
	t.Helper()
	d, err := depot.Open(depot.Options{Place: p.Place, Name: "example.com/team/shop", Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// put puts a text as the snapshot of a commit that was made at an hour.
func put(t *testing.T, d *depot.Depot, branch, text string, hour int) (*depot.Outcome, error) {
	file := filepath.Join(t.TempDir(), "snapshot")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Error(err)
	}
	at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
	return d.Put(t.Context(), branch, file, depot.Snapshot{Commit: fmt.Sprint("commit ", hour), Committed: &at, Made: at, By: "a test"})
}

func mustPut(t *testing.T, d *depot.Depot, branch, text string, hour int) *depot.Outcome {
	t.Helper()
	out, err := put(t, d, branch, text, hour)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// get returns the text of the newest snapshot.
func get(t *testing.T, d *depot.Depot, branches ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "got")
	_, _, err := d.Get(t.Context(), branches, file)
	text, none := os.ReadFile(file)
	if (err == nil) != (none == nil) {
		t.Errorf("an error %v, and a file %v", err, none)
	}
	return string(text), err
}

func expect(t *testing.T, d *depot.Depot, want string, branches ...string) {
	t.Helper()
	if got, err := get(t, d, branches...); got != want || err != nil {
		t.Errorf("of %v %.40q, %v; want %.40q", branches, got, err, want)
	}
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
	if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("an error with a secret, or of several lines: %v", err)
	}
}

func TestPutGet(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		d := open(t, p, 0)
		_, err := get(t, d, "main")
		if refused(t, err, "there is none of main"); !errors.Is(err, depot.ErrNone) {
			t.Error(err)
		}
		large := strings.Repeat("the whole of it\n", 10_000)
		out := mustPut(t, d, "main", large, 1)
		if !out.Uploaded || !out.Latest || out.Newer != nil || out.Bytes != int64(len(large)) || out.Branch != "main" {
			t.Errorf("%+v", out)
		}
		expect(t, d, large, "main")
		mustPut(t, d, "feature/x", "of a branch", 2)
		expect(t, d, "of a branch", "feature/x", "main")
		expect(t, d, large, "none", "main", "feature/x")

		// The same again is not uploaded again, and a copy that is gone is.
		if out := mustPut(t, d, "main", large, 3); out.Uploaded || !out.Latest {
			t.Errorf("the same again: %+v", out)
		}
		p.write("example.com/team/shop/snapshots/"+out.SHA256+".quarry", "")
		_, err = get(t, d, "main")
		refused(t, err, "it is not there")
		if out := mustPut(t, d, "main", large, 3); !out.Uploaded {
			t.Errorf("after it was removed: %+v", out)
		}
		expect(t, d, large, "main")
	})
}

// TestOlder: a commit that is older does not come before a newer one.
func TestOlder(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		d := open(t, p, 0)
		mustPut(t, d, "main", "new", 5)
		out := mustPut(t, d, "main", "old", 4)
		if out.Latest || out.Uploaded || out.Newer == nil || out.Newer.Commit != "commit 5" || out.Newer.By != "a test" {
			t.Errorf("%+v", out)
		}
		expect(t, d, "new", "main")
	})
}

// TestRace: of many that put at once all are in the list but for those that came after a
// newer one, and the newest is the latest.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		const jobs = 6
		var group sync.WaitGroup
		outs := make([]*depot.Outcome, jobs)
		for i := range jobs {
			d := open(t, p, 10)
			group.Go(func() {
				var err error
				if outs[i], err = put(t, d, "main", fmt.Sprint("of job ", i), i); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if out := outs[jobs-1]; out == nil || !out.Latest {
			t.Errorf("the newest: %+v", out)
		}
		for i, out := range outs {
			if out != nil && out.Latest == (out.Newer != nil) {
				t.Errorf("job %d: %+v", i, out)
			}
		}
		expect(t, open(t, p, 10), fmt.Sprint("of job ", jobs-1), "main")
	})
}

// TestRaced has somebody else write the list between reading and writing it.
func TestRaced(t *testing.T) {
	var other func()
	var begun atomic.Bool // the other's request comes here, too
	p := bucketPlace(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("If-Match") != "" && begun.CompareAndSwap(false, true) {
			other()
		}
		return false
	})
	d := open(t, p, 0)
	mustPut(t, d, "main", "first", 1)
	other = func() { mustPut(t, open(t, p, 0), "main", "theirs", 3) }
	if out := mustPut(t, d, "main", "ours", 2); out.Latest || out.Newer == nil || out.Newer.Commit != "commit 3" {
		t.Errorf("%+v", out)
	}
	expect(t, d, "theirs", "main")
}

// TestKeep: what no list names goes after an hour, and nothing else.
func TestKeep(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		d := open(t, p, 2)
		if p.Folder == "" {
			p.age(2 * time.Hour)
		}
		for i := range 4 {
			mustPut(t, d, "main", fmt.Sprint("text ", i), i)
		}
		other := mustPut(t, d, "other", "text 0", 9) // which main no longer names
		p.write("example.com/team/shop/snapshots/README", "not ours")
		count := func() int {
			n := 0
			for _, name := range p.names() {
				if strings.HasSuffix(name, ".quarry") {
					n++
				}
			}
			return n
		}
		if p.Folder != "" {
			if n := count(); n != 4 {
				t.Errorf("%d snapshots before any is old: %v", n, p.names())
			}
			p.age(2 * time.Hour)
		} else {
			p.age(-2 * time.Hour)
		}
		out := mustPut(t, d, "main", "text 4", 5)
		// Of main there are text 4 and text 3, of other text 0.
		if n := count(); n != 3 || out.Removed == 0 {
			t.Errorf("%d snapshots, %d removed: %v", n, out.Removed, p.names())
		}
		expect(t, d, "text 4", "main")
		expect(t, d, "text 0", "other")
		if !other.Uploaded || !strings.Contains(strings.Join(p.names(), " "), "README") {
			t.Errorf("%+v, %v", other, p.names())
		}
		// A list that cannot be read may name anything.
		p.write("example.com/team/shop/latest/other.json", "{")
		p.age(2 * time.Hour)
		_, err := put(t, d, "main", "text 5", 6)
		refused(t, err, "the list is damaged: that of other")
		if n := count(); n != 4 {
			t.Errorf("%d snapshots: %v", n, p.names())
		}
	})
}

// TestDamaged: nothing that is not what was put there is taken.
func TestDamaged(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		d := open(t, p, 0)
		out := mustPut(t, d, "main", "what was put", 1)
		object, list := "example.com/team/shop/snapshots/"+out.SHA256+".quarry", "example.com/team/shop/latest/main.json"
		for text, want := range map[string]string{
			"what was pux":  "is damaged",
			"what was put ": "is damaged",
			"what was":      "is cut off: it has 8 bytes of 12",
		} {
			p.write(object, text)
			_, err := get(t, d, "main")
			refused(t, err, want)
		}
		for text, want := range map[string]string{
			"{":            "the list is damaged",
			`{"format":2}`: "has the format 2, this program reads 1",
			`{"format":1,"snapshots":[{"sha256":"../../x","bytes":5}]}`:                            "names what no snapshot can be",
			`{"format":1,"snapshots":[{"sha256":"` + out.SHA256 + `","bytes":99999999999999999}]}`: "names what no snapshot can be",
			strings.Repeat("x", 300<<10): "has more than 262144 bytes",
		} {
			p.write(list, text)
			_, err := get(t, d, "main")
			refused(t, err, want)
		}
		// One by a newer program is left alone; a damaged one is replaced, and so is the snapshot.
		p.write(list, `{"format":2}`)
		_, err := put(t, d, "main", "what was put", 1)
		refused(t, err, "has the format 2")
		p.write(list, "{")
		if out := mustPut(t, d, "main", "what was put", 1); !out.Uploaded {
			t.Errorf("%+v", out)
		}
		expect(t, d, "what was put", "main")
	})
}

func TestAbsent(t *testing.T) {
	p := bucketPlace(t, nil)
	p.Bucket = "nobody"
	d := open(t, p, 0)
	_, err := get(t, d, "main")
	if refused(t, err, "no bucket has the name nobody"); !errors.Is(err, depot.ErrNone) {
		t.Error(err)
	}
	_, err = put(t, d, "main", "x", 1)
	refused(t, err, "no bucket has the name nobody")

	p = folderPlace(t)
	p.Folder = filepath.Join(p.Folder, "not-mounted")
	_, err = get(t, open(t, p, 0), "main")
	refused(t, err, "there is no such folder")
	_, err = put(t, open(t, p, 0), "main", "x", 1)
	refused(t, err, "there is no such folder")
}

func TestCredentials(t *testing.T) {
	p := bucketPlace(t, nil)
	mustPut(t, open(t, p, 0), "main", "x", 1)
	t.Setenv("AWS_ACCESS_KEY_ID", "them")
	d := open(t, p, 0)
	_, err := get(t, d, "main")
	refused(t, err, "the store refuses these credentials (InvalidAccessKeyId)")
	_, err = put(t, d, "main", "x", 1)
	refused(t, err, "the store refuses these credentials (InvalidAccessKeyId)")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err = get(t, open(t, p, 0), "main") // sends none
	refused(t, err, "the store refuses these credentials")

	// As those in the user's file.
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[ci]\naws_access_key_id = us\naws_secret_access_key = "+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_PROFILE", "ci")
	expect(t, open(t, p, 0), "x", "main")
}

// TestSlow: a store that does not answer holds nobody up for longer than they wait.
func TestSlow(t *testing.T) {
	stuck, asked := make(chan struct{}), make(chan struct{}, 100)
	p := bucketPlace(t, func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- struct{}{}
		select {
		case <-stuck:
		case <-r.Context().Done():
		}
		return true
	})
	defer close(stuck)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(context.Canceled) }()
	_, _, err := open(t, p, 0).Get(ctx, []string{"main"}, filepath.Join(t.TempDir(), "got"))
	refused(t, err, "context canceled")

	past, cancelPast := context.WithDeadline(t.Context(), time.Now().Add(time.Millisecond))
	defer cancelPast()
	_, _, err = open(t, p, 0).Get(past, []string{"main"}, filepath.Join(t.TempDir(), "got"))
	refused(t, err, "it took too long")
}

// TestCut ends the connection within the snapshot.
func TestCut(t *testing.T) {
	p := bucketPlace(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, ".quarry") {
			return false
		}
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("ETag", `"0123"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = io.CopyN(w, bytes.NewReader(make([]byte, 100)), 100)
		panic(http.ErrAbortHandler)
	})
	d := open(t, p, 0)
	mustPut(t, d, "main", strings.Repeat("x", 1000), 1)
	_, err := get(t, d, "main")
	refused(t, err, "snapshots at s3://team/some/where, example.com/team/shop: ")
}

// TestRefused is of a machine that nothing listens on, and of a store without If-Match.
func TestRefused(t *testing.T) {
	p := bucketPlace(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("If-None-Match") == "" {
			return false
		}
		w.WriteHeader(http.StatusNotImplemented)
		fmt.Fprint(w, "<Error><Code>NotImplemented</Code><Message>no</Message></Error>")
		return true
	})
	_, err := put(t, open(t, p, 0), "main", "x", 1)
	refused(t, err, "has no conditional writes")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Endpoint = l.Addr().String()
	l.Close()
	_, err = get(t, open(t, p, 0), "main")
	refused(t, err, "connection refused")
}

// TestFolder is what a folder may hold that is none of ours.
func TestFolder(t *testing.T) {
	p := folderPlace(t)
	d := open(t, p, 0)
	out := mustPut(t, d, "main", "what was put", 1)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("what was put"), 0o600); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(p.Folder, "example.com/team/shop/snapshots", out.SHA256+".quarry")
	if err := errors.Join(os.Remove(object), os.Symlink(outside, object)); err != nil {
		t.Fatal(err)
	}
	_, err := get(t, d, "main")
	refused(t, err, "is not a plain file")
}

func TestParsePlace(t *testing.T) {
	for text, want := range map[string]depot.Place{
		"s3://team":      {Bucket: "team", Endpoint: "s3.amazonaws.com", Region: "eu-1"},
		"s3://team/a/b/": {Bucket: "team", Prefix: "a/b", Endpoint: "s3.amazonaws.com", Region: "eu-1"},
		"s3://team?region=us-2&endpoint=https://store.example":   {Bucket: "team", Endpoint: "store.example", Region: "us-2"},
		"s3://team?endpoint=http://localhost:9000":               {Bucket: "team", Endpoint: "localhost:9000", Plain: true, Region: "eu-1"},
		"s3://team?endpoint=store.example:9000&credentials=role": {Bucket: "team", Endpoint: "store.example:9000", Region: "eu-1", Roles: true},
		"/var/snapshots": {Folder: "/var/snapshots"},
	} {
		if got, err := depot.ParsePlace(text, "", "eu-1"); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if p, err := depot.ParsePlace("s3://team", "http://store.example", ""); err != nil || p.Endpoint != "store.example" || !p.Plain {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{
		"https://store.example/team", "s3://", "s3:///x", "s3://us:" + secret + "@team", "s3://team/../x", "s3://team?secret=" + secret, "s3://team?credentials=" + secret,
		"s3://team?endpoint=https://us:" + secret + "@store.example", "s3://team?endpoint=ftp://store.example", "s3://team?endpoint=https://store.example/path", "s3://team?endpoint=https://",
	} {
		_, err := depot.ParsePlace(text, "", "")
		refused(t, err, "snapshots")
	}
	for _, name := range []string{"", ".", "a/../b", "/a", "a/", "a//b", "a\nb", `a\b`, strings.Repeat("a", 501)} {
		if _, err := depot.Open(depot.Options{Place: depot.Place{Folder: "/"}, Name: name}); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
}
