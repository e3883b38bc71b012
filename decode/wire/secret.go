package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// hashBytes is how much of a secret's SHA-256 is shown: enough to tell two
// secrets apart, too little to tell one.
const hashBytes = 4

// AppendRedacted appends what is shown in place of a secret:
// <redacted 12 bytes, sha256 0123abcd>.
func AppendRedacted(dst, secret []byte) []byte {
	sum := sha256.Sum256(secret)
	dst = append(dst, "<redacted "...)
	dst = strconv.AppendInt(dst, int64(len(secret)), 10)
	dst = append(dst, " bytes, sha256 "...)
	dst = hex.AppendEncode(dst, sum[:hashBytes])
	return append(dst, '>')
}
