package db_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

func newCard(id, incident string) ops.Card {
	return ops.Card{
		ID: id, Stream: "s1", Incident: incident, Kind: ops.QuestionSurge, Severity: ops.Medium, Observed: "見た", Suggested: "答える",
		Evidence: []string{"m3", "m5"}, Offset: 5 * time.Second, Character: "nagi", Session: "ses_1", Turn: "turn_1", At: noon,
	}
}

func saveCard(t testing.TB, d *db.DB, c ops.Card, seq int64, part int) ops.Card {
	t.Helper()
	saved, err := d.SaveCard(t.Context(), c, ops.Cursor{Session: "ses_1", Seq: seq, Part: part})
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func TestCardIsSavedOncePerIncident(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		add(t, d, "s1", chat(0, 10)...)
		want := newCard("crd_1", "question-surge/q1")
		got := saveCard(t, d, want, 7, 0)
		want.State, want.UpdatedAt = ops.CardOpen, noon
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		again := newCard("crd_2", "question-surge/q1")
		again.Severity, again.Observed, again.Turn = ops.Low, "また", "turn_2"
		again.Evidence, again.Offset, again.UpdatedAt = []string{"m1", "m3", "m8"}, 8*time.Second, noon.Add(time.Minute)
		got = saveCard(t, d, again, 7, 1)
		want.Observed, want.Turn, want.Evidence, want.Offset = "また", "turn_2", []string{"m1", "m3", "m5", "m8"}, 8*time.Second
		want.Updates, want.UpdatedAt = 1, noon.Add(time.Minute)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if read, err := d.Card(t.Context(), "crd_1"); err != nil || cmp.Diff(want, read) != "" {
			t.Error(cmp.Diff(want, read), err)
		}
		_, err := d.Card(t.Context(), "crd_2")
		wantErr(t, err, ops.ErrNotFound)
		if s, err := d.Stream(t.Context(), "s1"); err != nil || s.Cards != 1 {
			t.Errorf("the stream has %d cards, %v", s.Cards, err)
		}
		if diff := cmp.Diff([]string{"stream s1", "comments 10", "card crd_1", "card crd_1"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnArtifactIsNeverFollowedTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		first := saveCard(t, d, newCard("crd_1", "a"), 7, 1)
		for _, at := range []ops.Cursor{{Session: "ses_1", Seq: 7, Part: 1}, {Session: "ses_1", Seq: 7}, {Session: "ses_1", Seq: 6, Part: 9}, {Session: "ses_1"}} {
			got, err := d.SaveCard(t.Context(), newCard("crd_2", "a"), at)
			if err != nil || cmp.Diff(first, got) != "" {
				t.Errorf("cursor %+v: %v %s", at, err, cmp.Diff(first, got))
			}
		}
		_, err := d.SaveCard(t.Context(), newCard("crd_3", "b"), ops.Cursor{Session: "ses_1", Seq: 7, Part: 1})
		wantErr(t, err, ops.ErrNotFound) // no card stands
		if got, err := d.Cursor(t.Context(), "ses_1"); err != nil || got != (ops.Cursor{Session: "ses_1", Seq: 7, Part: 1}) {
			t.Errorf("cursor %+v, %v", got, err)
		}
		if n := len(changes(t, d, "s1")); n != 2 {
			t.Errorf("%d changes", n)
		}
		if _, err := d.SaveCard(t.Context(), newCard("crd_4", "c"), ops.Cursor{}); err != nil {
			t.Errorf("a card of no log: %v", err)
		}
		missing := newCard("crd_5", "d")
		missing.Stream = "s9"
		_, err = d.SaveCard(t.Context(), missing, ops.Cursor{Session: "ses_9", Seq: 1})
		wantErr(t, err, ops.ErrNotFound)
		if got, err := d.Cursor(t.Context(), "ses_9"); err != nil || got != (ops.Cursor{}) {
			t.Errorf("the cursor moved without the card: %+v, %v", got, err)
		}
	})
}

func TestACardKeepsWhatAPersonDidWithIt(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		seq := int64(0)
		for _, tt := range []struct {
			moved ops.CardState
			again ops.Severity
			want  ops.CardState
			level ops.Severity
		}{
			{ops.CardDismissed, ops.High, ops.CardDismissed, ops.High},
			{ops.CardHandled, ops.Low, ops.CardHandled, ops.Medium},
			{ops.CardHandled, ops.High, ops.CardOpen, ops.High},
		} {
			id := string(tt.moved) + string(tt.again)
			c := newCard(id, id)
			seq++
			saveCard(t, d, c, seq, 0)
			got, err := d.MoveCard(t.Context(), id, tt.moved, "owner", "役に立たない", noon.Add(time.Hour))
			if err != nil || got.State != tt.moved || got.By != "owner" || got.Note != "役に立たない" || !got.UpdatedAt.Equal(noon.Add(time.Hour)) {
				t.Errorf("moved: %+v, %v", got, err)
			}
			c.Severity = tt.again
			seq++
			if got := saveCard(t, d, c, seq, 0); got.State != tt.want || got.Severity != tt.level || got.By != "owner" || got.UpdatedAt.Before(noon.Add(time.Hour)) {
				t.Errorf("%s, then %s again: %+v", tt.moved, tt.again, got)
			}
		}
		_, err := d.MoveCard(t.Context(), "none", ops.CardHandled, "", "", noon)
		wantErr(t, err, ops.ErrNotFound)
	})
}

func TestCardsComeNewestChangeFirst(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		for i, id := range []string{"a", "b", "c", "d"} {
			c := newCard(id, id)
			c.At = noon.Add(time.Duration(i) * time.Minute)
			saveCard(t, d, c, int64(i)+1, 0)
		}
		if _, err := d.MoveCard(t.Context(), "b", ops.CardHandled, "x", "", noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range []ops.Page{{Limit: 3}, {Limit: 3, After: "c"}} {
			page, err := d.Cards(t.Context(), "s1", p)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page {
				got = append(got, c.ID)
			}
		}
		if diff := cmp.Diff([]string{"b", "d", "c", "a"}, got); diff != "" {
			t.Error(diff)
		}
	})
}
