package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"
)

// Func makes a Tool from a typed function. Its parameters come from In: json tags name them, a field without omitempty is required, and
// `jsonschema:"description=…,enum=…"` tags describe them. Objects are closed. Out is marshalled; Call carries what In does not.
func Func[In, Out any](spec Spec, run func(ctx context.Context, call *Call, in In) (Out, error)) (Tool, error) {
	parameters, err := schemaOf[In]()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", spec.ID, err)
	}
	spec.Parameters = parameters
	return funcTool[In, Out]{spec: spec, run: run}, nil
}

type funcTool[In, Out any] struct {
	spec Spec
	run  func(ctx context.Context, call *Call, in In) (Out, error)
}

func (t funcTool[In, Out]) Spec() Spec { return t.spec }

func (t funcTool[In, Out]) Run(ctx context.Context, call *Call) (Result, error) {
	var in In
	dec := json.NewDecoder(bytes.NewReader(call.Arguments))
	if err := dec.Decode(&in); err != nil {
		return Result{}, &ToolError{Code: CodeInvalid, Say: "the arguments do not fit the tool"}
	}
	out, err := t.run(ctx, call, in)
	if err != nil {
		return Result{}, err
	}
	if r, ok := any(out).(Result); ok {
		return r, nil // a tool that wants artifacts, or to end the turn
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("write the output of %s: %w", call.Tool, err)
	}
	return Result{Output: raw}, nil
}

// schemaOf reflects a type and keeps what the subset knows.
func schemaOf[In any]() (json.RawMessage, error) {
	r := jsonschema.Reflector{DoNotReference: true, Anonymous: true, ExpandedStruct: true}
	raw, err := json.Marshal(r.Reflect(new(In)))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	top, ok := v.(map[string]any)
	if !ok {
		return nil, &ConfigError{What: "schema", Issues: []string{"the input type is not a struct"}}
	}
	reduced := json.RawMessage(compact(reduce(top)))
	if issues := subset(reduced); len(issues) > 0 {
		return nil, &ConfigError{What: "schema", Issues: issues}
	}
	return reduced, nil
}

// reduce drops the keywords that only annotate and closes every object. A type that needs more is refused by the subset, never loosened.
func reduce(s map[string]any) map[string]any {
	for _, key := range []string{"$schema", "$id", "title", "default", "examples", "format", "contentEncoding"} {
		delete(s, key)
	}
	if _, isMap := s["additionalProperties"].(map[string]any); s["type"] == "object" && !isMap {
		s["additionalProperties"] = false // a map keeps its schema, which the subset refuses
	}
	if list, ok := s["required"].([]any); ok && len(list) == 0 {
		delete(s, "required")
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		for _, inner := range properties {
			if inner, ok := inner.(map[string]any); ok {
				reduce(inner)
			}
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		reduce(items)
	}
	return s
}
