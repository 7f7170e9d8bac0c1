// Package agenttest is what tests of the runtime and of its stores share: a scripted backend ([Script]), a store in memory ([Memory]), a store
// that fails from a chosen append on ([Cut]), ids that count ([IDs]), and [StoreSuite], which every store runs.
//
// Time in tests is that of testing/synctest: the runtime asks time.Now and plain timers, so a bubble's clock is enough.
package agenttest
