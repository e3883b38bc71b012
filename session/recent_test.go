package session

import "testing"

func TestRecent(t *testing.T) {
	r := recent[string, int]{limit: 2}
	for i, k := range []string{"a", "b"} {
		if r.put(k, i) {
			t.Errorf("%s: another was let go", k)
		}
	}
	if !r.put("c", 2) {
		t.Error("c: none was let go")
	}
	if _, ok := r.get("a"); ok {
		t.Error("a is still there")
	}
	if v, ok := r.take("b"); !ok || v != 1 {
		t.Errorf("b: %d %t", v, ok)
	}
	if _, ok := r.get("b"); ok {
		t.Error("b was taken, and is there")
	}
	// b is the oldest key put, but taken: its turn lets nothing go, nor does
	// it take the new b with it.
	if r.put("b", 3) {
		t.Error("b again: another was let go")
	}
	if v, _ := r.get("b"); v != 3 {
		t.Errorf("b again: %d", v)
	}
	if v, _ := r.get("c"); v != 2 {
		t.Errorf("c: %d", v)
	}
}

// However much is put, no more than twice the limit is held.
func TestRecentIsBounded(t *testing.T) {
	r := recent[int, int]{limit: 10}
	for i := range 10_000 {
		r.put(i%25, i)
		if len(r.values) > 10 || len(r.order) > 21 {
			t.Fatalf("after %d: %d values, %d turns", i, len(r.values), len(r.order))
		}
	}
}
