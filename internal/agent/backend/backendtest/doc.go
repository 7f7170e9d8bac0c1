// Package backendtest holds what every backend is measured by: one suite, Run, and a model server on loopback, Server, for those that speak to one.
//
// The server is strict where a vendor is: a message of an unknown role, a tool call without its answer or an answer without its call is refused
// with 400, and a past call whose arguments are not JSON is answered with 500, as one vendor does. What a backend sends it is kept, whole, for a
// test to look at. It is for tests only and starts nothing outside of them.
package backendtest
