// Package endtoend opens payloads that clients encrypted for each other.
//
// In: private keys from files (Load), and of each entry the wrapped data keys
// of its encryption_keys, its encryption_param and its payload. Out: the
// payload as it was before encryption, still compressed; or an Error that names
// the keys wanted and what was tried. No byte of a key is ever in an error.
//
// A producer draws an AES key, wraps it for every recipient (RSA: RSAES-OAEP
// with SHA-1, RFC 8017 section 7.1; EC: ECIES with the defaults of Bouncy
// Castle), and seals each payload by AES-GCM (NIST SP 800-38D) with
// encryption_param as the nonce and the tag of 16 bytes behind. Chunks are
// sealed one by one.
//
// To change: a curve is a row in curves.go, a form of key files a row in pem.go,
// a way to wrap a file like ecies.go.
package endtoend
