package views

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"urakata/internal/ops"
	"urakata/internal/ops/source"
	"urakata/views/ui"
)

// saysOf is what is wrong with one field, in words.
func saysOf(ctx context.Context, field string, wrong ops.InvalidError) []string {
	var out []string
	for _, w := range wrong {
		if w.Field == field {
			out = append(out, T(ctx, w.Say, pairs(w.Args)...))
		}
	}
	return out
}

// summaryOf is everything that is wrong, for the top of a form. A field of a tool is named by its tool.
func summaryOf(ctx context.Context, wrong ops.InvalidError) []ui.Wrong {
	out := make([]ui.Wrong, len(wrong))
	for i, w := range wrong {
		out[i] = ui.Wrong{ID: w.Field, Label: fieldName(ctx, w.Field), Say: T(ctx, w.Say, pairs(w.Args)...)}
	}
	return out
}

func fieldName(ctx context.Context, field string) string {
	for _, prefix := range []string{"tool.", "deadline."} {
		if tool, ok := strings.CutPrefix(field, prefix); ok {
			return toolName(ctx, tool)
		}
	}
	return word(ctx, "field", field)
}

// sourceWords says where comments come from and whether they do.
func sourceWords(ctx context.Context, r StreamRow) string {
	kind := word(ctx, "sourcekind", r.Stream.Source.Kind)
	if r.Stream.Example {
		kind = T(ctx, "views.sourcekind.example")
	}
	if r.Health.State == "" {
		return kind
	}
	return kind + " · " + word(ctx, "sourcestate", string(r.Health.State))
}

type reasonCount struct {
	reason string
	count  int64
}

// reasons are why records were skipped, most frequent first.
func reasons(c source.Counts) []reasonCount {
	out := make([]reasonCount, 0, len(c.Reasons))
	for _, k := range slices.Sorted(maps.Keys(c.Reasons)) {
		out = append(out, reasonCount{visible(k), c.Reasons[k]})
	}
	slices.SortStableFunc(out, func(a, b reasonCount) int { return int(b.count - a.count) })
	return out
}

// pushExample is a command that sends one comment, ready to be pasted.
func pushExample(url string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $URAKATA_TOKEN" -H "Content-Type: application/json" \
  -d '[{"id":"m1","text":"hello","author":{"id":"u1","name":"Aki"}}]' \
  %s`, url)
}
