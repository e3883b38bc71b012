package decrypt

import (
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// readServerKey reads the first private key of a PEM file.
func readServerKey(path string) (*rsa.PrivateKey, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("TLS server key: %w", err)
	}
	for {
		var block *pem.Block
		if block, b = pem.Decode(b); block == nil {
			return nil, fmt.Errorf("TLS server key %s: no private key in PEM form (-----BEGIN PRIVATE KEY-----)", path)
		}
		key, err := parsePrivateKey(block)
		switch {
		case err != nil:
			return nil, fmt.Errorf("TLS server key %s: %w", path, err)
		case key != nil:
			return key, nil
		}
	}
}

var errNotRSA = errors.New("not an RSA key, and only RSA key exchange can be opened with the server's key; use a key log")

// parsePrivateKey gives nil for blocks that are no private keys.
func parsePrivateKey(b *pem.Block) (*rsa.PrivateKey, error) {
	switch b.Type {
	case "RSA PRIVATE KEY":
		if b.Headers["DEK-Info"] != "" {
			return nil, errors.New("the key is encrypted with a passphrase; decrypt it first (openssl rsa)")
		}
		return x509.ParsePKCS1PrivateKey(b.Bytes)
	case "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(b.Bytes)
		if err != nil {
			return nil, err
		}
		return asRSA(key)
	case "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("the key is encrypted with a passphrase; decrypt it first (openssl pkcs8)")
	case "EC PRIVATE KEY":
		return nil, errNotRSA
	}
	return nil, nil
}

func asRSA(key crypto.PrivateKey) (*rsa.PrivateKey, error) {
	if k, ok := key.(*rsa.PrivateKey); ok {
		return k, nil
	}
	return nil, errNotRSA
}

// premaster opens the premaster secret of RSA key exchange (RFC 5246, section
// 7.4.7.1), as the client's key exchange message holds it. nil: none of the
// keys fits.
func (k *keyring) premaster(encrypted []byte) []byte {
	if len(encrypted) < rsaPrefixSize {
		return nil
	}
	if p := k.byRSA[string(encrypted[:rsaPrefixSize])]; p != nil {
		return p
	}
	for _, key := range k.servers {
		p, err := rsa.DecryptPKCS1v15(nil, key, encrypted) //nolint:staticcheck // RSA key exchange of TLS 1.2 is this (RFC 5246, section 7.4.7.1)
		if err == nil && len(p) == masterSecretSize {
			return p
		}
	}
	return nil
}
