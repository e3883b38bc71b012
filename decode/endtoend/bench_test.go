package endtoend

import (
	"crypto/aes"
	"crypto/cipher"
	"testing"
)

// A payload of 64 KiB whose data key is known, beside AES-GCM alone.
func BenchmarkOpen(b *testing.B) {
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		b.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	nonce := make([]byte, 12)
	sealed := gcm.Seal(nil, nonce, make([]byte, 64<<10), nil)
	k := &Keys{keys: []privateKey{{file: "f", unwrap: func([]byte) ([]byte, error) { return make([]byte, 32), nil }}}}
	recipients := []Recipient{{[]byte("team"), make([]byte, 256)}}
	for name, open := range map[string]func(dst []byte) ([]byte, error){
		"Open":   func(dst []byte) ([]byte, error) { return k.Open(dst, recipients, nonce, sealed) },
		"AESGCM": func(dst []byte) ([]byte, error) { return gcm.Open(dst, nonce, sealed, nil) },
	} {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			b.SetBytes(64 << 10)
			for b.Loop() {
				if dst, err = open(dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
