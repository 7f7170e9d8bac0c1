package db_test

import (
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
	"urakata/internal/db/dbtest"
)

func TestAgentStore(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		agenttest.StoreSuite(t, func(t *testing.T) agent.Store { return dbtest.Open(t) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		agenttest.StoreSuite(t, func(t *testing.T) agent.Store { return dbtest.OpenPostgres(t) })
	})
}
