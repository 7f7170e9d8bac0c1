package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	staffexample "urakata/examples/stream-operations-staff"
	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

// sources opens what a stream names: a recording in the imports folder, the embedded example, or a push source.
type sources struct {
	imports string
	own     string // rehearse: the file named on the command line; no page can ask for it
}

// exampleFile is the name by which a stream asks for the embedded recording.
const exampleFile = "example"

// ownFile is the name by which a rehearsal asks for the file of the command line.
const ownFile = "rehearsal"

// Open opens the stream's source at the place the stream has reached.
func (s *sources) Open(_ context.Context, st ops.Stream) (source.Source, error) {
	switch st.Source.Kind {
	case "push":
		return source.NewPush(source.PushConfig{From: st.Position})
	case "replay":
		start := st.StartedAt
		if st.Source.File == ownFile {
			start = time.Time{} // a rehearsal keeps the recording's own times
		}
		return source.NewReplay(source.ReplayConfig{
			Name: st.Source.File, Speed: st.Source.Speed, From: st.Position, Start: start, Open: s.opener(st.Source.File), Size: s.size(st.Source.File),
		})
	default:
		return nil, fmt.Errorf("the stream %s has the source kind %q, which this program does not have", st.ID, st.Source.Kind)
	}
}

func (s *sources) opener(file string) func() (io.ReadCloser, error) {
	if file == exampleFile {
		return func() (io.ReadCloser, error) { return staffexample.Files.Open("stream.jsonl") }
	}
	if file == ownFile && s.own != "" {
		return func() (io.ReadCloser, error) { return os.Open(s.own) }
	}
	return func() (io.ReadCloser, error) {
		root, err := os.OpenRoot(s.imports)
		if err != nil {
			return nil, fmt.Errorf("open the imports folder: %w", err)
		}
		defer root.Close()
		return root.Open(file)
	}
}

func (s *sources) size(file string) int64 {
	var info fs.FileInfo
	var err error
	if file == exampleFile {
		info, err = fs.Stat(staffexample.Files, "stream.jsonl")
	} else if file == ownFile && s.own != "" {
		info, err = os.Stat(s.own)
	} else {
		info, err = os.Stat(filepath.Join(s.imports, filepath.Base(file)))
	}
	if err != nil {
		return 0 // only a progress bar wants it; opening tells the fault
	}
	return info.Size()
}
