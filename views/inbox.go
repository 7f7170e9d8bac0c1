package views

import "urakata/internal/ops"

// ItemView is one thing of the inbox with what a person needs to decide it.
type ItemView struct {
	Item      ops.Item
	Stream    ops.Stream
	Character ops.Character
	Evidence  []ops.Stored // the comments named as evidence, oldest first; Item.Target apart
	Key       string       // idempotency key of the forms, new for each drawing
	Reader    ops.Who
	Severity  ops.Severity     // how soon to look
	Errors    ops.InvalidError // 422: the form again, with what is wrong
	Typed     string           // what the person had typed into note or answer
	Conflict  *ops.Decided     // 409: somebody else answered first, or the deadline did
	OnBoard   bool             // drawn on a board: forms come back there
}

// InboxPage is the inbox: a list and the item that is open.
type InboxPage struct {
	Page     Page
	Items    []ItemView
	Done     bool         // the list of what was decided
	Stream   string       // only this stream's; "" for all
	Streams  []ops.Stream // for the filter and the empty state
	Selected *ItemView
	Next     string // cursor of the next page of done items
}
