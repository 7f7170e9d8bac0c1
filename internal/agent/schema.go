package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	reflected "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema checks values against a JSON Schema and says every fault at once, with its place.
type schema struct {
	compiled *jsonschema.Schema
}

// newSchema compiles a schema. What it gives is safe for many goroutines.
func newSchema(raw json.RawMessage) (*schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &schema{compiled: compiled}, nil
}

// check lists what is wrong with a value: "items.0.token: got number, want string".
func (s *schema) check(v any) []string {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var faults *jsonschema.ValidationError
	if !errors.As(err, &faults) {
		return []string{"the value cannot be checked"}
	}
	issues := leaves(faults, message.NewPrinter(language.English), nil)
	slices.Sort(issues)
	return slices.Compact(issues)
}

func leaves(e *jsonschema.ValidationError, say *message.Printer, issues []string) []string {
	if len(e.Causes) == 0 {
		return append(issues, orElse(strings.Join(e.InstanceLocation, "."), "(top)")+": "+e.ErrorKind.LocalizedString(say))
	}
	for _, c := range e.Causes {
		issues = leaves(c, say, issues)
	}
	return issues
}

// subset lists why a schema is not one that every backend understands: only type, properties, required, items, enum, description and a boolean
// additionalProperties, with an object at the top.
func subset(raw json.RawMessage) []string {
	v, err := decodeJSON(raw)
	if err != nil {
		return []string{"the schema is not JSON"}
	}
	top, ok := v.(map[string]any)
	if !ok {
		return []string{"the schema is not an object"}
	}
	issues := subsetAt("(top)", top)
	if top["type"] != "object" {
		issues = append(issues, `(top): type must be "object"`)
	}
	return issues
}

func subsetAt(at string, s map[string]any) []string {
	var issues []string
	wrong := func(format string, args ...any) { issues = append(issues, at+": "+fmt.Sprintf(format, args...)) }
	kind, _ := s["type"].(string)
	if !slices.Contains([]string{"array", "boolean", "integer", "null", "number", "object", "string"}, kind) {
		wrong("type must be one of array, boolean, integer, null, number, object, string")
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		switch key {
		case "type", "description":
		case "properties", "required", "additionalProperties":
			if kind != "object" {
				wrong("%s belongs to an object", key)
			}
		case "items":
			if kind != "array" {
				wrong("items belongs to an array")
			}
		case "enum":
			if !primitives(s[key]) {
				wrong("enum must list one or more texts, numbers, booleans or null")
			}
		default:
			wrong("keyword %q is not supported", key)
		}
	}
	issues = append(issues, subsetObject(at, s)...)
	if kind == "array" {
		items, ok := s["items"].(map[string]any)
		if !ok {
			return append(issues, at+": an array needs items")
		}
		issues = append(issues, subsetAt(at+"[]", items)...)
	}
	return issues
}

func subsetObject(at string, s map[string]any) []string {
	var issues []string
	if extra, set := s["additionalProperties"]; set {
		if _, ok := extra.(bool); !ok {
			issues = append(issues, at+": additionalProperties must be true or false")
		}
	}
	properties, ok := s["properties"].(map[string]any)
	if _, set := s["properties"]; set && !ok {
		issues = append(issues, at+": properties must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, ok := properties[name].(map[string]any)
		if !ok {
			issues = append(issues, at+"."+name+": must be a schema")
			continue
		}
		issues = append(issues, subsetAt(strings.TrimPrefix(at+"."+name, "(top)."), inner)...)
	}
	required, set := s["required"]
	names, ok := required.([]any)
	if set && !ok {
		issues = append(issues, at+": required must be a list")
	}
	for _, n := range names {
		name, _ := n.(string)
		if _, declared := properties[name]; !declared {
			issues = append(issues, fmt.Sprintf("%s: required names %v, which is not a property", at, n))
		}
	}
	return issues
}

func primitives(v any) bool {
	all, ok := v.([]any)
	if !ok || len(all) == 0 {
		return false
	}
	for _, one := range all {
		switch one.(type) {
		case map[string]any, []any:
			return false
		}
	}
	return true
}

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
	r := reflected.Reflector{DoNotReference: true, Anonymous: true, ExpandedStruct: true}
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
