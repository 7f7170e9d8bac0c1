package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// config is everything that flags and environment say. Only this file reads either.
type config struct {
	Addr      string
	Data      string
	DB        string // a file, or postgres://…
	BasePath  string
	PublicURL string
	LogFormat string
	Example   bool
	Dev       bool
	Token     string // bearer token for scripts; only from the environment
	Mind      mindConfig
}

// mindConfig is the OpenAI-compatible backend's: set by the variables that every client of such servers reads.
type mindConfig struct {
	Key, BaseURL, Model string
}

// ready says whether a model can be asked at all.
func (m mindConfig) ready() bool { return m.Key != "" || m.BaseURL != "" }

// flags makes a flag set whose values fall back to their environment twins, and the shared flags on it.
func (c *config) flags(sys system, name string) *flag.FlagSet {
	fs := flag.NewFlagSet("urakata "+name, flag.ContinueOnError)
	fs.SetOutput(sys.Err)
	fs.StringVar(&c.Data, "data", "./data", "folder for the database, imports and uploads")
	fs.StringVar(&c.DB, "db", "", "database: a file, or postgres://… (default: urakata.db in the data folder)")
	fs.StringVar(&c.LogFormat, "log", "text", "log format: text or json")
	return fs
}

// parse reads args with flags before or after the positional ones, then the environment for flags that were not given, and returns the
// positional arguments.
func (c *config) parse(sys system, fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError{err.Error()}
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		rest, args = append(rest, args[0]), args[1:]
	}
	if err := c.twins(sys, fs); err != nil {
		return nil, err
	}
	c.Token, _ = sys.Env("URAKATA_TOKEN")
	c.Mind.Key, _ = sys.Env("OPENAI_API_KEY")
	c.Mind.BaseURL, _ = sys.Env("OPENAI_BASE_URL")
	c.Mind.Model, _ = sys.Env("OPENAI_MODEL")
	return rest, c.check()
}

func (c *config) twins(sys system, fs *flag.FlagSet) error {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	fs.VisitAll(func(f *flag.Flag) {
		key := "URAKATA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v, ok := sys.Env(key); ok && !given[f.Name] && err == nil {
			if e := fs.Set(f.Name, v); e != nil {
				err = usageError{fmt.Sprintf("%s=%q: %v", key, v, e)}
			}
		}
	})
	return err
}

func (c *config) check() error {
	if c.LogFormat != "text" && c.LogFormat != "json" {
		return usageError{fmt.Sprintf("-log %q: it is text or json", c.LogFormat)}
	}
	if c.DB == "" {
		c.DB = filepath.Join(c.Data, "urakata.db")
	}
	if c.BasePath == "/" {
		c.BasePath = ""
	}
	if c.BasePath != "" && (!strings.HasPrefix(c.BasePath, "/") || strings.HasSuffix(c.BasePath, "/") || strings.ContainsAny(c.BasePath, "?#\\ ")) {
		return usageError{fmt.Sprintf("-base-path %q: it begins with a slash and does not end with one, like /urakata", c.BasePath)}
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return usageError{fmt.Sprintf("-public-url %q: it is the address people open, like https://staff.example.org", c.PublicURL)}
		}
	}
	if u, err := url.Parse(c.Mind.BaseURL); c.Mind.BaseURL != "" && (err != nil || u.Host == "") {
		return usageError{"OPENAI_BASE_URL is not an address"}
	}
	return nil
}

// logger is the application's. It writes to standard error; standard output belongs to results.
func (c *config) logger(sys system) *slog.Logger { return c.loggerAt(sys, slog.LevelInfo) }

// quietLogger is a short command's: it speaks only when something is wrong.
func (c *config) quietLogger(sys system) *slog.Logger { return c.loggerAt(sys, slog.LevelWarn) }

func (c *config) loggerAt(sys system, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(sys.Err, options))
	}
	return slog.New(slog.NewTextHandler(sys.Err, options))
}

// ensureData makes the data folder, readable by its owner only.
func (c *config) ensureData() error {
	if err := os.MkdirAll(filepath.Join(c.Data, "imports"), 0o700); err != nil {
		return fmt.Errorf("the data folder %s cannot be made: %w", c.Data, err)
	}
	return nil
}
