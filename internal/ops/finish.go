package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"urakata/internal/agent"
)

// How long the end of a stream waits for the character: its turns end by themselves before, this is for one that does not.
const (
	turnTime   = 6 * time.Minute
	endTime    = 2 * time.Minute
	settleTime = time.Minute
)

// endedWhy is the cause that cancelled items carry, and that the character is told.
const endedWhy = "stream ended"

const reportInstruction = `The stream has ended. The facts are in report-facts. Hand in the words of the report with the tool report_submit: three sentences that sum the stream up for ` +
	`somebody who was not there, and three things to do next time. Use only what the facts say, with numbers. Do not answer with cards.`

// finish ends the stream's work: a last look, the turns under way, what waits is cancelled, the words of the report, the report. Each part has an
// id or a state of its own, so a desk that begins here again does only what is missing.
func (d *desk) finish(ctx context.Context) error {
	d.stopFeed()
	d.refuseOffers()
	if d.place > 0 {
		if err := d.brief(ctx, d.place, true); err != nil {
			return err
		}
	}
	if err := d.idle(ctx, endTime); err != nil {
		return err
	}
	if err := d.session.Cancel(ctx, endedWhy); err != nil {
		return fmt.Errorf("end of %s: %w", d.stream, err)
	}
	if err := d.cancelQuestions(ctx); err != nil {
		return err
	}
	if err := d.idle(ctx, endTime); err != nil {
		return err
	}
	data, err := d.staff.compile(ctx, d.row, d.cursor.Session)
	if err != nil {
		return err
	}
	if !d.absent && !d.who.Paused {
		in := agent.Input{ID: inputReport, Instruction: reportInstruction, When: agent.NextStep}
		if err := d.hand(ctx, in, "report-facts", factsOf(data)); err != nil {
			return err
		}
		if err := d.idle(ctx, endTime); err != nil {
			return err
		}
	}
	return d.report(ctx)
}

// report stores the report, which moves the stream to ended, and closes the session when nothing is under way.
func (d *desk) report(ctx context.Context) error {
	cfg := d.staff.cfg
	data, err := d.staff.compile(ctx, d.row, d.cursor.Session)
	if err != nil {
		return err
	}
	if words, ok, err := d.words(ctx); err != nil {
		return err
	} else if ok {
		data.Summary = ReportSummary{Sentences: words.Summary, Next: words.Next, Author: d.who.Name, Evidence: words.Evidence}
	}
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("report of %s: %w", d.stream, err)
	}
	r := Report{ID: cfg.NewID("rep"), Stream: d.stream, Version: 1, Title: d.row.Title, Character: d.who.ID, At: cfg.Now(), Data: body}
	if _, err := cfg.Store.SaveReport(ctx, r); err != nil {
		return fmt.Errorf("report of %s: %w", d.stream, err)
	}
	return d.closeSession(ctx)
}

// words are the last ones that report.submit handed in.
func (d *desk) words(ctx context.Context) (words Words, found bool, err error) {
	for e, err := range d.staff.cfg.Log.Read(ctx, agent.SessionID(d.cursor.Session), 0) {
		if err != nil {
			return Words{}, false, fmt.Errorf("log of %s: %w", d.cursor.Session, err)
		}
		if e.Kind != agent.ArtifactCreated {
			continue
		}
		var body agent.ArtifactBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return Words{}, false, fmt.Errorf("artifact: %w", err)
		}
		if body.Artifact.Type != ArtifactWords {
			continue
		}
		words = Words{}
		if err := json.Unmarshal(body.Artifact.Data, &words); err != nil {
			return Words{}, false, fmt.Errorf("words of the report: %w", err)
		}
		found = true
	}
	return words, found, nil
}

// settle lets the session of an ended stream finish what was decided and not carried out when the program stopped.
func (d *desk) settle(ctx context.Context) error {
	d.refuseOffers()
	if d.row.State == StreamReady {
		return nil
	}
	if err := d.idle(ctx, settleTime); err != nil {
		return err
	}
	return d.closeSession(ctx)
}

func (d *desk) closeSession(ctx context.Context) error {
	if snap := d.session.Snapshot(); snap.Activity != agent.Idle || len(snap.Pending) > 0 {
		return nil // the next start finds it by its open items
	}
	if err := d.session.Close(ctx, endedWhy); err != nil && !errors.Is(err, agent.ErrClosed) {
		return fmt.Errorf("session of %s: %w", d.stream, err)
	}
	if err := d.follow(ctx); err != nil {
		return err
	}
	have, err := d.staff.cfg.Store.SessionsOf(ctx, d.stream)
	if err != nil {
		return fmt.Errorf("session of %s: %w", d.stream, err)
	}
	for _, s := range have {
		if s.ID != d.cursor.Session || !s.ClosedAt.IsZero() {
			continue
		}
		s.ClosedAt = d.staff.cfg.Now()
		if err := d.staff.cfg.Store.SaveSession(ctx, s); err != nil {
			return fmt.Errorf("session of %s: %w", d.stream, err)
		}
	}
	return nil
}

// cancelQuestions closes what was asked and not answered. Whether an action happened is still worth an answer after the end.
func (d *desk) cancelQuestions(ctx context.Context) error {
	items, err := d.staff.cfg.Store.Items(ctx, ItemQuery{Stream: d.stream, Page: Page{Limit: 500}})
	if err != nil {
		return fmt.Errorf("end of %s: %w", d.stream, err)
	}
	for _, it := range items {
		if it.Kind != ItemQuestion {
			continue
		}
		var decided *Decided
		if _, err := d.staff.cfg.Store.MoveQuestion(ctx, it.ID, ItemCancelled, "", endedWhy, d.staff.cfg.Now()); err != nil && !errors.As(err, &decided) {
			return fmt.Errorf("end of %s: %w", d.stream, err)
		}
	}
	return nil
}

// refuseOffers answers those who wait with a batch for a stream that takes no more.
func (d *desk) refuseOffers() {
	for {
		select {
		case o := <-d.offers:
			o.reply <- offered{err: fmt.Errorf("stream %s is %s: %w", d.stream, d.row.State, ErrState)}
		default:
			return
		}
	}
}
