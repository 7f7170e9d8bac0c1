package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Verdict is a policy's answer. The zero value denies.
type Verdict struct {
	Action VerdictAction
	Reason string // required unless allowed
}

// VerdictAction is what a verdict says to do. The zero value denies.
type VerdictAction string

// Verdict actions.
const (
	Deny  VerdictAction = ""
	Ask   VerdictAction = "require-approval"
	Allow VerdictAction = "allow"
)

// Policy judges a call that is valid and frozen. An error or a panic denies.
type Policy interface {
	Decide(ctx context.Context, call *Call, in PolicyInput) (Verdict, error)
}

// PolicyInput is what a policy may look at besides the call, whose Arguments are the redacted copy here.
type PolicyInput struct {
	Spec     Spec
	Audience Audience
	Trust    Trust
}

// Lists is a policy by lists: deny list, approval rule, allow list, default deny. Unknown tool ids are refused by Agent's New.
type Lists struct {
	Deny           []string
	Ask            []string
	AskRiskAtLeast *Risk
	Allow          []string
}

// Decide goes through the lists in order: deny, approval, allow; what no list names is denied.
func (l Lists) Decide(_ context.Context, _ *Call, in PolicyInput) (Verdict, error) {
	id := in.Spec.ID
	switch {
	case slices.Contains(l.Deny, id):
		return Verdict{Action: Deny, Reason: "this tool is on the deny list"}, nil
	case slices.Contains(l.Ask, id):
		return Verdict{Action: Ask, Reason: "this tool needs an operator's approval"}, nil
	case l.AskRiskAtLeast != nil && in.Spec.Risk.AtLeast(*l.AskRiskAtLeast):
		return Verdict{Action: Ask, Reason: "tools of risk " + in.Spec.Risk.String() + " need an operator's approval"}, nil
	case slices.Contains(l.Allow, id):
		return Verdict{Action: Allow}, nil
	}
	return Verdict{Action: Deny, Reason: "no list allows this tool"}, nil
}

// unknown names the tools of the lists that nobody registered: a typo must not weaken a policy in silence.
func (l Lists) unknown(has func(string) bool) []string {
	var issues []string
	for _, id := range slices.Concat(l.Deny, l.Ask, l.Allow) {
		if !has(id) {
			issues = append(issues, fmt.Sprintf("policy names tool %q, which is not registered", id))
		}
	}
	return issues
}

// judge asks the policy and holds it to its word: whatever is unclear denies, and nobody from outside reaches a tool that writes without a person.
func judge(ctx context.Context, p Policy, call *Call, in PolicyInput) (v Verdict) {
	if p == nil {
		return Verdict{Action: Deny, Reason: "there is no policy"}
	}
	v, err := decide(ctx, p, call, in)
	switch {
	case err != nil:
		return Verdict{Action: Deny, Reason: "the policy could not decide"}
	case v.Action != Allow && v.Action != Ask:
		return Verdict{Action: Deny, Reason: orElse(v.Reason, "denied without a reason")}
	case v.Action == Ask && strings.TrimSpace(v.Reason) == "":
		return Verdict{Action: Deny, Reason: "the policy asked for approval without a reason"}
	case v.Action == Allow && in.outside() && in.Spec.Risk.AtLeast(Write):
		return Verdict{Action: Ask, Reason: "a session that hears outsiders needs approval for risk " + in.Spec.Risk.String()}
	}
	return v
}

func decide(ctx context.Context, p Policy, call *Call, in PolicyInput) (v Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("policy panicked: %v", r)
		}
	}()
	return p.Decide(ctx, call, in)
}

// outside says whether outsiders hear this session or speak into it.
func (in PolicyInput) outside() bool {
	return in.Trust != Trusted || in.Audience != Private && in.Audience != Operator && in.Audience != Owner
}

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}
