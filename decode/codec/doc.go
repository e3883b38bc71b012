// Package codec decompresses the payloads of Pulsar messages.
//
// In: the payload as the wire has it (after decryption, where it was
// encrypted), the codec and uncompressed_size of its MessageMetadata.
// Out: the plain bytes, with the name of the variant where the payload was not
// in the form that Pulsar's own clients write; or an Error with a code.
//
// The plain bytes are borrowed: they are valid until the next call, and for
// codec NONE they are the input itself.
//
// A payload never costs more memory than it earns. At most uncompressed_size
// bytes and a little slack are produced, and sizes above eagerSize are believed
// only as far as the compressed bytes bear them out.
//
// A new codec is one file and one row in the table of decoders.
package codec
