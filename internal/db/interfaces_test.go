package db

import (
	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/platform"
)

var (
	_ agent.Store     = (*DB)(nil)
	_ ops.Store       = (*DB)(nil)
	_ platform.Ledger = (*DB)(nil)
)
