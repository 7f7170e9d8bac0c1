package agenttest_test

import (
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

func TestMemory(t *testing.T) {
	agenttest.StoreSuite(t, func(*testing.T) agent.Store { return agenttest.NewMemory() })
}
