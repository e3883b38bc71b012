// Package decrypt opens the TLS records of connections whose secrets are at
// hand (TLS 1.0 to 1.2: RFC 2246, 4346, 5246; TLS 1.3: RFC 8446).
//
// In: the events of reassembly. Out: the same events, where for a TLS
// connection the bytes of the records have given way to the plain text of the
// application: same Conn and Side, Offset counted in plain text from 0, At the
// packet that completed the record. Connections that are not TLS pass through
// untouched. What cannot be opened is an event of kind Sealed that says why;
// nothing is guessed, since every record proves its key by its tag.
//
// Whether a connection is TLS is told by content. What its handshake says is
// in Facts, hung on reassembly.Conn, with and without secrets.
//
// Secrets come from key logs (the SSLKEYLOGFILE format of NSS), from the
// Decryption Secrets Blocks of pcapng files, and, for RSA key exchange, from
// the server's private key. They are never given out.
//
// Event.Data is borrowed: valid until the next pull. To be changed here: which
// ciphers are opened (suites.go), which handshake messages are read
// (messages.go), which labels of key logs are known (keylog.go), the limits.
package decrypt
