// Package web is the door of the house: pages for people, JSON for scripts, and one socket a tab for what moves.
//
// A handler reads the form, asks one service of package ops and renders one component of package views; it holds no rules and no SQL.
// Every service is seen through a small interface that stands in the file that calls it. Errors are returned, and errors.go alone turns
// them into statuses, so that a page, a fragment and the JSON of /api/v1 always agree on what happened.
//
// The order of the guards is the story of a request: it gets an id, a log line and a safety net; its Host must be one of ours (DNS
// rebinding) and its Origin, if it has one, too; a state change must come from our own pages or from no browser at all; its body is
// bounded; then it says who it is, by a session cookie or a bearer token, and the route says who may enter. Nothing here trusts a name that a
// viewer chose: uploads get names of ours, and every word goes through templ or encoding/json.
//
// Handlers run on the goroutines of net/http. A socket is its handler: it lives until its page leaves, its login ends, or Server.Close
// is called, which waits for all of them. What a socket has not sent is lost with it and found again by its cursor, because rows and
// changes are durable and a frame is only a rendering of them.
package web
