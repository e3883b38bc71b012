package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readable is the least contrast of text with what is behind it (WCAG 2.2, 1.4.3).
const readable = 4.5

// Text of every colour can be read on every ground, in light and dark.
func TestContrast(t *testing.T) {
	themes := strings.SplitN(read("page.css"), `:root[data-theme="dark"]`, 2)
	for name, css := range map[string]string{"light": themes[0], "dark": strings.SplitN(themes[1], "}", 2)[0]} {
		colours := map[string]float64{}
		for _, c := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			colours[c[1]] = luminance(t, c[2])
		}
		for _, ground := range []string{"ground", "paper", "sunk", "chosen", "hit", "error-ground", "warning-ground"} {
			for _, ink := range []string{"ink", "soft", "accent", "c2s", "s2c", "error", "warning", "info", "fine"} {
				a, b := colours[ground], colours[ink]
				if a == 0 || b == 0 {
					t.Fatalf("%s: no colour %s or %s", name, ground, ink)
				}
				if c := (max(a, b) + 0.05) / (min(a, b) + 0.05); c < readable {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, ink, ground, c, readable)
				}
			}
		}
	}
}

// luminance is the relative luminance of a colour as #rrggbb (WCAG 2.2).
func luminance(t *testing.T, colour string) (l float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		l += weight * v
	}
	return l
}
