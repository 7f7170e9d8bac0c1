package main

import (
	"context"
	"fmt"
	"net/http"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/openai"
	"urakata/internal/agent/backend/rules"
	"urakata/internal/lang"
	"urakata/internal/ops"
)

// minds gives each character the backend it was set to. The rules are always there; a model server is there when the environment names one.
type minds struct {
	cfg       mindConfig
	catalogue *lang.Catalogue
}

// Mind returns the backend that the character names, or an error that says what is missing. It never falls back to another one in silence.
func (m *minds) Mind(_ context.Context, c ops.Character) (agent.Backend, error) {
	switch c.Backend {
	case "rules":
		return rules.New(rules.Config{Catalogue: m.catalogue}), nil
	case "openai":
		if !m.cfg.ready() {
			return nil, fmt.Errorf("the backend openai of %s needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys", c.Name)
		}
		model := c.Model
		if model == "" {
			model = m.cfg.model()
		}
		return openai.New(openai.Config{
			BaseURL: m.cfg.BaseURL, Model: model, HTTP: http.DefaultClient,
			Key: func(context.Context) (string, error) { return m.cfg.Key, nil },
		}), nil
	default:
		return nil, fmt.Errorf("%s names the backend %q, which this program does not have", c.Name, c.Backend)
	}
}

// Choices lists the backends for the form.
func (m *minds) Choices() []ops.MindChoice {
	model := ops.MindChoice{ID: "openai", Name: "OpenAI-compatible", Ready: m.cfg.ready()}
	if model.Ready {
		model.Name += " (" + m.cfg.model() + ")"
	} else {
		model.Why = "mind.openai.missing"
	}
	return []ops.MindChoice{{ID: "rules", Name: "rules", Ready: true}, model}
}

func (m mindConfig) model() string {
	if m.Model != "" {
		return m.Model
	}
	return "gpt-5-mini"
}
