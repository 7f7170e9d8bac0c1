package views

import (
	"strconv"

	"urakata/internal/ops"
)

// Ids of the parts that live updates touch. One function or constant per part; script and tests use the same.

// Ids of rooms on a page.
const (
	mainID     = "main"
	bannerID   = "banner"
	statusID   = "status"
	alertID    = "alert"
	countsID   = "counts"
	headerID   = "stream-header"
	nowID      = "now"
	cardsID    = "cards"
	chatID     = "chat-rows"
	pulseID    = "pulse"
	activityID = "activity"
	itemsID    = "items"
	detailID   = "detail"
)

func cardID(id string) string    { return "card-" + id }
func itemID(id string) string    { return "item-" + id }    // on the board and in the detail
func itemRowID(id string) string { return "itemrow-" + id } // in the inbox list
func streamRowID(id string) string {
	return "stream-" + id
}

// commentID names a row of the chat by its place: platform ids are chosen elsewhere.
func commentID(s ops.Stored) string { return "c-" + strconv.FormatInt(s.Seq, 10) }
