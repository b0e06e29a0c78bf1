package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// killOptions are the flags of kill.
type killOptions struct {
	rig.Served
	n int
}

func newKillCommand() *cobra.Command {
	var o killOptions
	cmd := o.Command("kill --dir DIR", "Kill servers and their parsers, and have the index proved", `Kill serves a copy of a folder, kills the server n times with no warning while it builds,
updates or saves, or the processes that parse for it, starts it again, has it prove its
index with /verify, and looks for files that were left over.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureKill(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.IntVarP(&o.n, "number", "n", 2000, "kills")
	return cmd
}

// killReport is the outcome of kill.
type killReport struct {
	Kills    int            `json:"kills"`
	During   map[string]int `json:"during"`   // what the server was doing
	Leftover int            `json:"leftover"` // restarts after which a temporary file was left
	Differed int            `json:"differed"` // restarts after which /verify did not prove the index
	Failed   int            `json:"failed"`   // restarts that did not serve
	First    string         `json:"first_fault,omitempty"`
}

// Moments at which a server is killed.
const (
	killBuild  = "build"  // of all files, or the comparison with what was restored
	killUpdate = "update" // after edits
	killSave   = "save"   // while a file without its final name is there
	killWorker = "worker" // of a build and of updates: not the server, but the processes that parse, again and again
)

// measureKill serves a copy of a folder, kills the server again and again with no
// warning, starts it once more and has it prove its index.
func measureKill(ctx context.Context, o killOptions, out io.Writer) (err error) {
	tmp, err := os.MkdirTemp("", "quarry-kill-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	root, data := filepath.Join(tmp, "root"), filepath.Join(tmp, "data")
	if err := os.CopyFS(root, os.DirFS(o.Dir)); err != nil {
		return fmt.Errorf("copy %s: %w", o.Dir, err)
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	r := killReport{During: map[string]int{}}
	fault := func(count *int, format string, args ...any) {
		*count++
		if r.First == "" {
			r.First = fmt.Sprintf("kill %d: ", r.Kills) + fmt.Sprintf(format, args...)
		}
	}
	for r.Kills < o.n && ctx.Err() == nil {
		moment := []string{killBuild, killUpdate, killSave, killWorker}[r.Kills%4]
		if moment == killWorker || moment != killUpdate && random.IntN(2) == 0 { // a first build, and a first save
			if err := os.RemoveAll(filepath.Join(data, "projects")); err != nil {
				return err
			}
		}
		p, err := rig.Start(ctx, o.Program, root, data)
		if err != nil {
			return err
		}
		if err := reach(ctx, p, moment, root, data, random); err != nil {
			return errors.Join(err, p.Kill())
		}
		if err := p.Kill(); err != nil {
			return err
		}
		r.Kills++
		r.During[moment]++

		if p, err = rig.Start(ctx, o.Program, root, data); err != nil {
			fault(&r.Failed, "%v", err)
			continue
		}
		if err := p.Until(ctx, p.Ready); err != nil {
			fault(&r.Failed, "%v", err)
			return errors.Join(err, p.Kill())
		}
		if why, err := p.Proved(ctx); err != nil || why != "" {
			fault(&r.Differed, "after one during %s: %v %s", moment, err, why)
		}
		if err := p.End(); err != nil {
			fault(&r.Failed, "%v", err)
		}
		if left := unfinished(data); len(left) > 0 {
			fault(&r.Leftover, "%v", left)
		}
	}
	err = o.Print(out, r, "%d kills during %v: %d did not serve again, %d differed, %d left a temporary file\n%s", r.Kills, r.During, r.Failed, r.Differed, r.Leftover, r.First)
	if r.Failed+r.Differed+r.Leftover > 0 {
		err = errors.Join(err, errors.New("a killed server did not come back as it should"))
	}
	return errors.Join(err, ctx.Err())
}

// reach waits for a moment at which to kill the server.
func reach(ctx context.Context, p *rig.Server, moment, root, data string, random *rand.Rand) error {
	if moment == killBuild {
		rig.Pause(ctx, time.Duration(random.Int64N(int64(time.Second))))
		return nil
	}
	if moment == killWorker {
		return killWorkers(ctx, p, root, random)
	}
	if moment == killUpdate {
		if err := p.Until(ctx, p.Ready); err != nil {
			return err
		}
		if err := editSome(root, random); err != nil {
			return err
		}
		rig.Pause(ctx, time.Duration(random.Int64N(int64(400*time.Millisecond))))
		return nil
	}
	// A first build is saved at once, what has changed when it has rested. Where
	// neither happens, the end of the server saves.
	for began := time.Now(); time.Since(began) < 3*time.Second; {
		if len(unfinished(data)) > 0 {
			rig.Pause(ctx, time.Duration(random.Int64N(int64(5*time.Millisecond))))
			return nil
		}
		rig.Pause(ctx, time.Millisecond/4)
	}
	if err := errors.Join(p.Until(ctx, p.Ready), editSome(root, random)); err != nil {
		return err
	}
	rig.Pause(ctx, 300*time.Millisecond)
	if err := p.Cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < time.Second && len(unfinished(data)) == 0; {
		rig.Pause(ctx, time.Millisecond/4)
	}
	return nil
}

// killWorkers kills the processes that parse while a server builds, and then while it
// updates, until it has all, and has it prove its index.
func killWorkers(ctx context.Context, p *rig.Server, root string, random *rand.Rand) error {
	for _, edit := range []bool{false, true} {
		if edit {
			if err := editSome(root, random); err != nil {
				return err
			}
		}
		killing, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ; killing.Err() == nil; rig.Pause(killing, 30*time.Millisecond) {
				for _, pid := range rig.Children(p.Cmd.Process.Pid) {
					if worker, err := os.FindProcess(pid); err == nil {
						_ = worker.Kill() // it may have ended
					}
				}
			}
		}()
		rig.Pause(ctx, 200*time.Millisecond) // what the watcher has not told yet is not pending
		err := p.Until(ctx, p.Ready)
		stop()
		<-ended
		if err != nil {
			return err
		}
	}
	if why, err := p.Proved(ctx); err != nil || why != "" {
		return fmt.Errorf("after the processes that parse were killed: %v %s", err, why)
	}
	return nil
}

// editSome adds functions to some files.
func editSome(root string, random *rand.Rand) error {
	var files []string
	if err := rig.Sources(root, func(path string, _ []byte) bool {
		files = append(files, path)
		return true
	}); err != nil {
		return err
	}
	for range 1 + random.IntN(20) {
		path := files[random.IntN(len(files))]
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%s edited %d\n", rig.Extensions[filepath.Ext(path)], random.Uint32())
		if filepath.Ext(path) == ".go" {
			text += fmt.Sprintf("func edited%d() { println(%d) }\n", random.Uint32(), random.Uint32())
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// unfinished are the files in the data folder that have no final name.
func unfinished(data string) []string {
	left, _ := filepath.Glob(filepath.Join(data, "*", "*", "*.tmp-*")) // the pattern is right
	packs, _ := filepath.Glob(filepath.Join(data, "cache", "*.tmp-*"))
	return append(left, packs...)
}
