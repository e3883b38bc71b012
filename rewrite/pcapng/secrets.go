package pcapng

// Type of the block for secrets, and that of a TLS key log in it
// (draft-ietf-opsawg-pcapng, section 4.7).
const (
	decryptionSecrets = 0x0000000a
	tlsKeyLog         = 0x544c534b
)

// Secrets writes a TLS key log: the packets behind it can be decrypted by it.
func (p *Writer) Secrets(keyLog []byte) error {
	p.begin(decryptionSecrets)
	p.u32(tlsKeyLog, uint32(len(keyLog)))
	p.bytes(keyLog)
	return p.end()
}
