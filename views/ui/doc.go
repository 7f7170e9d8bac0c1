// Package ui holds parts of pages that know nothing of streams or staff: icons, badges, fields, empty rooms, charts. Words come in as values.
package ui
