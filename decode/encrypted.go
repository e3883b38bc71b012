package decode

import (
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
)

// largestOpened is the size in bytes of the buffer for decrypted payloads that
// is kept for the next one.
const largestOpened = 8 << 20

// encrypted says whether the payload was encrypted by the producer.
func encrypted(m *wire.Walk) bool {
	return m.Find(wire.Top, field.MessageMetadataEncryptionKeys) >= 0
}

// open decrypts the payload of an entry.
func (u *Unpacker) open(e *Entry) error {
	m := e.Metadata
	if e.Opened || !encrypted(m) {
		return nil
	}
	u.recipients = u.recipients[:0]
	for i := range m.Each(wire.Top, field.MessageMetadataEncryptionKeys) {
		var r endtoend.Recipient
		r.Name, _ = m.Text(i, field.EncryptionKeysKey)
		r.Value, _ = m.Text(i, field.EncryptionKeysValue)
		u.recipients = append(u.recipients, r)
	}
	nonce, _ := m.Text(wire.Top, field.MessageMetadataEncryptionParam)
	plain, err := u.Keys.Open(u.opened[:0], u.recipients, nonce, e.Payload)
	if err != nil {
		return err
	}
	if e.Payload = plain; cap(plain) <= largestOpened {
		u.opened = plain
	}
	return nil
}
