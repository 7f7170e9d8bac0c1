package agent

import "context"

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
