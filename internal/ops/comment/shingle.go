package comment

import "slices"

// maxShingles bounds what is compared of one text.
const maxShingles = 96

// print is the fingerprint of a text: its letters alone, whatever the spaces, signs, digits and emoji around them.
type print struct {
	key      uint64   // of all letters in order
	shingles []uint32 // sorted, each once: pairs of kana and ideographs, triples of other letters
	weight   int      // letters, those that carry a syllable or more counted twice
}

// fingerprint reads a word view. Equal sentences with another number at the end have equal keys.
func fingerprint(w *view) print {
	p := print{key: 14695981039346656037}
	var a, b rune
	for i, r := range w.r {
		k := w.kind[i]
		if k == separator || k == digit {
			continue
		}
		if r == b && r == a {
			continue
		}
		p.key = (p.key ^ uint64(r)) * 1099511628211
		p.weight++
		switch {
		case eastern(k):
			p.weight++
			if b != 0 && len(p.shingles) < maxShingles {
				p.shingles = append(p.shingles, mix(0, b, r))
			}
		case a != 0 && len(p.shingles) < maxShingles:
			p.shingles = append(p.shingles, mix(a, b, r))
		}
		a, b = b, r
	}
	slices.Sort(p.shingles)
	p.shingles = slices.Compact(p.shingles)
	return p
}

func mix(a, b, c rune) uint32 {
	h := uint64(a)<<42 ^ uint64(b)<<21 ^ uint64(c)
	h ^= h >> 31
	h *= 0x9E3779B97F4A7C15
	return uint32(h >> 32)
}

// alike is the share of shingles two texts have in common, 0 to 1.
func alike(a, b []uint32) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	i, j, both := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// bands are four small samples of a text; near-copies share at least one with high probability.
func bands(shingles []uint32) [4]uint64 {
	out := [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	seeds := [4]uint64{0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93}
	for _, s := range shingles {
		for k, seed := range seeds {
			h := (uint64(s) + 1) * seed
			if h = h ^ h>>29; h < out[k] {
				out[k] = h
			}
		}
	}
	for k := range out {
		out[k] = out[k]&^3 | uint64(k)
	}
	return out
}
