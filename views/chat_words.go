package views

import (
	"context"
	"slices"
	"strings"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// dismissReasons are offered when a card is dismissed; the words of the chosen one become its note.
var dismissReasons = []string{"known", "wrong", "useless", "later"}

func rowClass(s ops.Stored) string {
	switch {
	case s.Comment.Kind == comment.KindDeleted || s.Comment.Kind == comment.KindBanned || s.Comment.Kind == comment.KindCleared:
		return "row-gone"
	case masked(s):
		return "row-masked " + severityClass(safetySeverity(s.Analysis.Risk))
	case s.Comment.Money != nil || s.Comment.Kind == comment.KindMembership || s.Comment.Kind == comment.KindRaid:
		return "row-paid"
	case s.Analysis.Question:
		return "row-question"
	}
	return ""
}

// knownRoles leaves out roles that nobody needs to see beside every line.
func knownRoles(roles []string) []string {
	return slices.DeleteFunc(slices.Clone(roles), func(r string) bool {
		return r != "owner" && r != "moderator" && r != "member" && r != "subscriber" && r != "vip"
	})
}

// rowPath is the comment among its neighbours.
func rowPath(stream string, s ops.Stored) string {
	q := Around(s.Comment.Offset)
	q.IDs = []string{s.Comment.ID}
	return CommentsPath(stream, q)
}

func categories(ctx context.Context, list []comment.Category) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = word(ctx, "category", string(c))
	}
	return strings.Join(words, ", ")
}

func questionChip(ctx context.Context, a comment.Analysis) string {
	if a.GroupSize > 1 {
		return T(ctx, "views.chip.question.many", "N", number(ctx, a.GroupSize))
	}
	return T(ctx, "views.chip.question")
}

// eventText is what the platform did, for rows without words of a viewer.
func eventText(ctx context.Context, c comment.Comment) string {
	switch c.Kind {
	case comment.KindRaid:
		return N(ctx, "views.event.raid", c.Raid)
	case comment.KindPaid:
		return T(ctx, "views.event.paid")
	}
	return word(ctx, "rowkind", string(c.Kind))
}
