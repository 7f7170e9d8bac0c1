package ui

// FieldNotes is the aria-describedby of a control drawn inside Field.
func FieldNotes(id string) string { return id + "-help " + id + "-wrong" }

// Truth writes a boolean attribute that must say true or false.
func Truth(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
