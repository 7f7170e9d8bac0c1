package views

import (
	"context"
	"net/url"
	"time"

	"urakata/internal/ops"
)

func detailOf(id string) string { return "detail-" + id }

// boardOf selects the board of one stream, so that an item reaches no other.
func boardOf(stream string) string { return `[data-stream="` + stream + `"]` }

func inboxPath(stream string, done bool, after string) string {
	v := url.Values{}
	if stream != "" {
		v.Set("stream", stream)
	}
	if done {
		v.Set("state", "done")
	}
	if after != "" {
		v.Set("after", after)
	}
	if len(v) == 0 {
		return InboxPath
	}
	return InboxPath + "?" + v.Encode()
}

func itemIcon(it ops.Item) string {
	switch it.Kind {
	case ops.ItemQuestion:
		return "question"
	case ops.ItemUnknown:
		return "triangle"
	}
	return "hand"
}

// itemTitle is the verb and its object: "Delete message", or that a question is asked.
func itemTitle(ctx context.Context, it ops.Item) string {
	switch it.Kind {
	case ops.ItemQuestion:
		return T(ctx, "views.item.asks")
	case ops.ItemUnknown:
		return T(ctx, "views.item.unknown", "Tool", toolName(ctx, it.Tool))
	}
	return toolName(ctx, it.Tool)
}

// allowVerb is the word on the button that says yes: what it does, never "OK".
func allowVerb(ctx context.Context, it ops.Item) string { return toolName(ctx, it.Tool) }

func answerLabel(ctx context.Context, it ops.Item) string {
	if len(it.Choices) > 0 {
		return T(ctx, "views.item.ownwords")
	}
	return T(ctx, "views.item.answer")
}

// itemWhom is one line about the object: the viewer, or the question.
func itemWhom(ctx context.Context, v ItemView) string {
	switch {
	case v.Item.Target != nil:
		return calm(visible(authorName(v.Item.Target.Comment.Author)))
	case v.Item.Question != "":
		return calm(visible(v.Item.Question))
	case v.Item.Reason != "":
		return calm(visible(v.Item.Reason))
	case v.Item.Risk != "":
		return word(ctx, "risk", v.Item.Risk)
	}
	return toolName(ctx, v.Item.Tool)
}

func itemStateIcon(s ops.ItemState) string {
	switch s {
	case ops.ItemAllowed, ops.ItemAnswered:
		return "check"
	case ops.ItemExpired:
		return "clock"
	}
	return "cross"
}

func itemTone(it ops.Item) string {
	switch it.State {
	case ops.ItemAllowed, ops.ItemAnswered:
		return "tone-good"
	case ops.ItemExpired:
		return "tone-warn"
	}
	return "tone-quiet"
}

func outcomeTone(o ops.OutcomeState) string {
	switch o {
	case ops.OutcomeRefused, ops.OutcomeFailed, ops.OutcomeUnknown:
		return "tone-bad"
	case ops.OutcomeDone:
		return "tone-good"
	}
	return "tone-warn"
}

func outcomeIcon(o ops.OutcomeState) string {
	switch o {
	case ops.OutcomeDone:
		return "check"
	case ops.OutcomeWaiting, ops.OutcomeRunning:
		return "clock"
	}
	return "triangle"
}

// decidedWords says who decided what and when; an expiry or a cancellation is never laid on a person.
func decidedWords(ctx context.Context, it ops.Item) string {
	at := "–"
	if !it.DecidedAt.IsZero() {
		at = clock(ctx, it.DecidedAt)
	}
	switch it.State {
	case ops.ItemExpired:
		return T(ctx, "views.item.expired", "At", clockOf(ctx, it.Deadline, it.DecidedAt))
	case ops.ItemCancelled:
		return T(ctx, "views.item.cancelled", "Why", word(ctx, "why", it.Why), "At", at)
	}
	return T(ctx, "views.item.by."+string(it.State), "Name", it.DecidedBy, "At", at)
}

func clockOf(ctx context.Context, times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return clock(ctx, t)
		}
	}
	return "–"
}

// conflictWords tells kindly that somebody was faster.
func conflictWords(ctx context.Context, it ops.Item) string {
	return T(ctx, "views.item.conflict", "What", decidedWords(ctx, it))
}

func pairs(args map[string]any) []any {
	out := make([]any, 0, 2*len(args))
	for k, v := range args {
		out = append(out, k, v)
	}
	return out
}
