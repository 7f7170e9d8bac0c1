package views

import (
	"context"
	"strconv"
)

// say and do are the two sentences of an error. A status without words of its own gets those of 400 or 500.
func (p ErrorPage) say(ctx context.Context) string { return p.words(ctx, p.Say, "say") }
func (p ErrorPage) do(ctx context.Context) string  { return p.words(ctx, p.Do, "do") }

func (p ErrorPage) words(ctx context.Context, key, part string) string {
	if key != "" {
		return T(ctx, key, p.Pairs...)
	}
	key = "views.error." + strconv.Itoa(p.Status) + "." + part
	if !printer(ctx).Has(key) {
		key = "views.error.400." + part
		if p.Status >= 500 {
			key = "views.error.500." + part
		}
	}
	return T(ctx, key, p.Pairs...)
}
