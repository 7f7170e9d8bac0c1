package views

import (
	"context"
	"strconv"
	"time"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

var allSubjects = []comment.Subject{
	comment.SubjectAudio, comment.SubjectVideo, comment.SubjectLag, comment.SubjectGame, comment.SubjectMusic, comment.SubjectArt,
	comment.SubjectEquipment, comment.SubjectSchedule, comment.SubjectVoice, comment.SubjectFood, comment.SubjectStreamer, comment.SubjectChat,
}

func secondsOf(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return strconv.FormatInt(int64(*d/time.Second), 10)
}

func nextQuery(q CommentQuery, after int64) CommentQuery {
	q.After = after
	return q
}

// commentsRange says which stretch of the stream the comments on the page are from.
func commentsRange(ctx context.Context, list []ops.Stored) string {
	first, last := list[0].Comment.Offset, list[len(list)-1].Comment.Offset
	return N(ctx, "views.comments.range", len(list), "From", offset(ctx, first), "To", offset(ctx, last))
}
