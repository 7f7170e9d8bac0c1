package db

import (
	"fmt"
	"time"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// commentRow holds the analysis twice: whole as JSON, and in columns what comments are looked for by.
type commentRow struct {
	Stream     string `gorm:"primaryKey"`
	Seq        int64  `gorm:"primaryKey;autoIncrement:false"`
	Platform   string
	PlatformID string
	Kind       string
	Text       string
	At         *int64
	Offset     int64 `gorm:"column:offset_ns"`
	AuthorID   string
	AuthorName string
	Roles      string
	Micros     *int64
	Currency   string
	ReplyTo    string
	Target     string
	Raid       int
	Topic      string
	Truncated  bool
	State      string
	StateBy    string
	Action     string
	Risk       string
	Question   bool
	Grp        string
	Wave       string
	Cluster    string
	Subject    string
	Lang       string
	Score      float64
	Analysis   string
}

func (commentRow) TableName() string { return "comments" }

func rowOfComment(stream string, s ops.Stored) commentRow {
	c, a := s.Comment, s.Analysis
	row := commentRow{
		Stream: stream, Seq: s.Seq, Platform: plain(string(c.Platform)), PlatformID: plain(c.ID), Kind: string(c.Kind), Text: plain(c.Text),
		At: nanos(c.At), Offset: c.Offset.Nanoseconds(), AuthorID: plain(c.Author.ID), AuthorName: plain(c.Author.Name), Roles: listJSON(c.Author.Roles),
		ReplyTo: plain(c.ReplyTo), Target: plain(c.Target), Raid: c.Raid, Topic: plain(c.Topic), Truncated: c.Truncated,
		Action: string(a.Action), Risk: string(a.Risk), Question: a.Question, Grp: a.Group, Wave: a.Wave, Cluster: a.Cluster,
		Subject: string(a.Subject), Lang: a.Lang, Score: a.Score, Analysis: toJSON(a),
	}
	if c.Money != nil {
		row.Micros, row.Currency = &c.Money.Micros, plain(c.Money.Currency)
	}
	return row
}

func (r commentRow) stored() (ops.Stored, error) {
	what := fmt.Sprintf("comment %d of stream %s", r.Seq, r.Stream)
	roles, err := fromJSON[[]string](what+": roles", r.Roles)
	if err != nil {
		return ops.Stored{}, err
	}
	analysis, err := fromJSON[comment.Analysis](what+": analysis", r.Analysis)
	if err != nil {
		return ops.Stored{}, err
	}
	c := comment.Comment{
		ID: r.PlatformID, Platform: comment.Platform(r.Platform), Kind: comment.Kind(r.Kind), Text: r.Text,
		At: moment(r.At), Offset: time.Duration(r.Offset), Author: comment.Author{ID: r.AuthorID, Name: r.AuthorName, Roles: roles},
		ReplyTo: r.ReplyTo, Target: r.Target, Raid: r.Raid, Topic: r.Topic, Truncated: r.Truncated,
	}
	if r.Micros != nil {
		c.Money = &comment.Money{Micros: *r.Micros, Currency: r.Currency}
	}
	return ops.Stored{Seq: r.Seq, Comment: c, Analysis: analysis, State: ops.CommentState(r.State), StateBy: r.StateBy}, nil
}
