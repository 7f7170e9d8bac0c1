package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// analyze reads comments and writes one analysis a line, in order.
func analyze(ctx context.Context, sys system, args []string) error {
	var c config
	fs := c.flags(sys, "analyze [FILE]")
	topic := fs.String("topic", "", "what the stream is about (a line may carry its own)")
	language := fs.String("language", "", "the stream's language: ja, en, …")
	size := fs.Int("batch", 64, "how many comments are analysed at once")
	stats := fs.Bool("stats", false, "print comments/s, p50 and p99 per comment and the peak memory to standard error")
	files, err := c.parse(sys, fs, args)
	if err != nil {
		return err
	}
	if len(files) > 1 {
		return usageError{"analyze takes one file"}
	}
	if *size < 1 || *size > 10_000 {
		return usageError{fmt.Sprintf("-batch %d: it is between 1 and 10000", *size)}
	}
	replay, err := source.NewReplay(replayOf(sys, files, 0))
	if err != nil {
		return err
	}
	defer replay.Close()
	out := bufio.NewWriterSize(sys.Out, 64<<10)
	run := analysis{analyzer: comment.New(comment.Stream{Topic: *topic, Language: *language}), out: json.NewEncoder(out), size: *size}
	run.out.SetEscapeHTML(false)
	if err := run.all(ctx, replay); err != nil {
		return errors.Join(err, out.Flush())
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write analyses: %w", err)
	}
	if *stats {
		run.stats(sys.Err, replay.Health().Counts)
	}
	return nil
}

// replayOf reads the file named, or standard input.
func replayOf(sys system, files []string, speed float64) source.ReplayConfig {
	if len(files) == 0 {
		return source.ReplayConfig{Name: "standard input", Speed: speed, Open: func() (io.ReadCloser, error) { return io.NopCloser(sys.In), nil }}
	}
	return source.ReplayConfig{Name: files[0], Speed: speed, Open: func() (io.ReadCloser, error) { return os.Open(files[0]) }}
}

// analysis is one run over a recording.
type analysis struct {
	analyzer *comment.Analyzer
	out      *json.Encoder
	size     int
	each     []time.Duration // per comment, averaged over its batch
	spent    time.Duration
}

func (a *analysis) all(ctx context.Context, from source.Source) error {
	for {
		batch, err := from.Read(ctx)
		for part := range slices.Chunk(batch.Comments, a.size) {
			start := time.Now()
			got := a.analyzer.Take(part...)
			took := time.Since(start)
			a.spent += took
			for range part {
				a.each = append(a.each, took/time.Duration(len(part)))
			}
			for i := range got {
				if err := a.out.Encode(&got[i]); err != nil {
					return fmt.Errorf("write analyses: %w", err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (a *analysis) stats(w io.Writer, counts source.Counts) {
	slices.Sort(a.each)
	at := func(p float64) time.Duration {
		if len(a.each) == 0 {
			return 0
		}
		return a.each[min(int(p*float64(len(a.each))), len(a.each)-1)]
	}
	rate := 0.0
	if a.spent > 0 {
		rate = float64(len(a.each)) / a.spent.Seconds()
	}
	fmt.Fprintf(w, "records %d, read %d, skipped %d, duplicates %d\n", counts.Records, counts.Read, counts.Skipped, counts.Duplicates)
	fmt.Fprintf(w, "comments/s %.0f, p50 %v, p99 %v, peak memory %d KiB\n", rate, at(0.5), at(0.99), peakKiB())
}
