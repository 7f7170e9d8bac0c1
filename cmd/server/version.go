package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is what this tree calls itself; a build from a version control checkout adds its revision.
const release = "0.1.0"

func versionText() string {
	text := release
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				text += "+" + s.Value[:12]
			}
		}
	}
	return text
}

func version(_ context.Context, sys system, _ []string) error {
	_, err := fmt.Fprintf(sys.Out, "urakata %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
