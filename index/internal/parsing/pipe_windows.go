package parsing

import (
	"crypto/rand"
	"os"

	"golang.org/x/sys/windows"
)

// pipeBytes is the room that is asked for in a pipe.
const pipeBytes = 1 << 20

// pipe returns a pipe to a worker, or from one. Windows waits with a deadline for named pipes
// alone, whose name nobody else can guess, take or reach from another machine.
func pipe(fromWorker bool) (ours, theirs *os.File, err error) {
	name := `\\.\pipe\quarry-` + rand.Text()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	way, access := uint32(windows.PIPE_ACCESS_OUTBOUND), uint32(windows.GENERIC_READ)
	if fromWorker {
		way, access = windows.PIPE_ACCESS_INBOUND, windows.GENERIC_WRITE
	}
	server, err := windows.CreateNamedPipe(path, way|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, pipeBytes, pipeBytes, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	worker, err := windows.CreateFile(path, access, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		_ = windows.CloseHandle(server) // nothing was written to it
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(server), name), os.NewFile(uintptr(worker), name), nil
}
