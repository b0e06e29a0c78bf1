package sandbox

// A Reach says which parts of the file system a program may use. Missing ones are skipped;
// links are followed.
type Reach struct {
	Run   []string // programs
	Read  []string // files, and folders with all that is in them
	Write []string // as Read; they may be changed, too
}

// RestrictThread takes from the calling thread, and from whatever it starts from now on, all
// files but those of r, connections by TCP, and signals to others. It cannot be undone: the
// goroutine has locked the thread, and never unlocks it, so that the thread ends with it. The
// other threads of the process stay as they are. It needs Landlock: Linux 5.13; for TCP 6.7.
//
// On an error nothing has changed. It wraps errors.ErrUnsupported where the system cannot
// do it.
func RestrictThread(r Reach) error { return restrictThread(r) }
