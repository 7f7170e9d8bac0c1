package rules

// The facts as any peer of the program would read them: only the fields that a rule looks at.
type (
	briefing struct {
		Stream struct {
			Elapsed int  `json:"elapsedSeconds"`
			Ended   bool `json:"ended"`
		} `json:"stream"`
		Window       window        `json:"window"`
		Observations []observation `json:"observations"`
		Groups       []group       `json:"groups"`
		Waves        []wave        `json:"waves"`
		Subjects     []subject     `json:"subjects"`
		Shift        *shift        `json:"shift"`
		Open         []openCard    `json:"openCards"`
		Raised       []raised      `json:"raised"`
	}
	window struct {
		From      int     `json:"from"`
		To        int     `json:"to"`
		Comments  int     `json:"comments"`
		PerMinute float64 `json:"perMinute"`
		Usual     float64 `json:"usualPerMinute"`
		Glad      int     `json:"glad"`
	}
	observation struct {
		Ref        string   `json:"id"`
		Offset     int      `json:"at"`
		Viewer     string   `json:"viewer"`
		Role       string   `json:"role"`
		Reasons    []string `json:"reasons"`
		Cluster    string   `json:"cluster"`
		Subject    string   `json:"subject"`
		Question   bool     `json:"question"`
		Group      string   `json:"group"`
		Wave       string   `json:"wave"`
		Mood       int      `json:"mood"`
		Paid       *money   `json:"paid"`
		Raid       int      `json:"raid"`
		Action     string   `json:"action"`
		Risk       string   `json:"risk"`
		Categories []string `json:"categories"`
	}
	money struct {
		Micros   int64  `json:"micros"`
		Currency string `json:"currency"`
	}
	group struct {
		Group    string   `json:"group"`
		Kind     string   `json:"kind"`
		Subject  string   `json:"subject"`
		Size     int      `json:"size"`
		Voices   int      `json:"voices"`
		First    int      `json:"first"`
		Last     int      `json:"last"`
		Evidence []string `json:"evidence"`
	}
	wave struct {
		Wave     string   `json:"wave"`
		Size     int      `json:"size"`
		Voices   int      `json:"voices"`
		Friendly bool     `json:"friendly"`
		Evidence []string `json:"evidence"`
	}
	subject struct {
		Subject string `json:"subject"`
		Count   int    `json:"count"`
		Before  int    `json:"before"`
	}
	shift struct {
		From     string   `json:"from"`
		To       string   `json:"to"`
		At       int      `json:"at"`
		Evidence []string `json:"evidence"`
	}
	raised struct {
		Tool    string   `json:"tool"`
		Refs    []string `json:"refs"`
		Groups  []string `json:"groups"`
		Viewers []string `json:"viewers"`
		Age     int      `json:"ageSeconds"`
	}
	openCard struct {
		Incident string `json:"incident"`
		Severity string `json:"severity"`
		Evidence int    `json:"evidence"`
	}
)

// Severities, risks and kinds as the answer and the facts spell them.
const (
	low    = "low"
	medium = "medium"
	high   = "high"

	information = "information"
	highlight   = "highlight"
	surge       = "question-surge"
	feedback    = "constructive-feedback"
	safety      = "safety-concern"
	turned      = "topic-shift"
)

// rank orders severities and risks; what is neither is 0.
func rank(s string) int {
	switch s {
	case low:
		return 1
	case medium:
		return 2
	case high:
		return 3
	}
	return 0
}
