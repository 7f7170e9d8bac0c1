package openai

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"

	"urakata/internal/agent"
)

const maxName = 64

// names maps tools to names that every server takes, and back.
type names struct {
	byID   map[string]string
	byName map[string]string
}

// nameTools names the tools of a request. The same set of tools has the same names, in whatever order it comes.
func nameTools(req *agent.Request) names {
	n := names{byID: map[string]string{}, byName: map[string]string{}}
	wanted := map[string]int{}
	for _, t := range req.Tools {
		wanted[wish(t)]++
	}
	for _, t := range req.Tools {
		name := wish(t)
		if wanted[name] > 1 {
			name = distinct(name, t.ID)
		}
		n.byID[t.ID], n.byName[name] = name, t.ID
	}
	return n
}

func wish(t agent.ToolDef) string {
	if t.Name != "" {
		return safe(t.Name)
	}
	return safe(t.ID)
}

// safe makes of any text a name of 1 to 64 letters that every server takes.
func safe(s string) string {
	name := regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(s, "_")
	if len(name) > maxName {
		return distinct(name, s)
	}
	if name == "" {
		return "_"
	}
	return name
}

// distinct puts a mark of the id behind a name that would mean two things.
func distinct(name, id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	mark := fmt.Sprintf("_%08x", h.Sum32())
	return name[:min(len(name), maxName-len(mark))] + mark
}

// name is what a call of the history is named: its tool may not be offered any more.
func (n names) name(tool string) string {
	if name, ok := n.byID[tool]; ok {
		return name
	}
	return safe(tool)
}

// tool is the id behind a name that a model used; a name nobody knows stays as it is, for the runtime to refuse.
func (n names) tool(name string) string {
	name = strings.TrimSpace(name)
	if id, ok := n.byName[name]; ok {
		return id
	}
	return name
}
