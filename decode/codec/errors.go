package codec

import "fmt"

// Code says what is wrong with a payload.
type Code string

// The codes of Error.
const (
	// NoUncompressedSize: the metadata names a codec and no uncompressed_size.
	NoUncompressedSize Code = "no_uncompressed_size"
	// UncompressedSizeAbsurd: uncompressed_size is above the limit MaxSize.
	UncompressedSizeAbsurd Code = "uncompressed_size_absurd"
	// DecompressError: the payload is not data of its codec, or not whole.
	DecompressError Code = "decompress_error"
	// UncompressedSizeMismatch: the data is sound and of another size.
	UncompressedSizeMismatch Code = "uncompressed_size_mismatch"
	// UnknownCodec: the number is none of CompressionType.
	UnknownCodec Code = "unknown_codec"
)

// Error tells why a payload could not be decompressed.
type Error struct {
	Code   Code
	Detail string // for people: what was found, what was expected
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Detail }

// State is the state of a message record with this error: a wrong size is
// uncompressed_size_mismatch, all else decompress_error.
func (e *Error) State() string {
	if e.Code == UncompressedSizeMismatch {
		return string(UncompressedSizeMismatch)
	}
	return string(DecompressError)
}

func errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// corrupt is a DecompressError of one codec.
func corrupt(c Codec, format string, args ...any) error {
	return errorf(DecompressError, c.String()+": "+format, args...)
}

func mismatch(stated, found int) error {
	return errorf(UncompressedSizeMismatch, "uncompressed_size says %d bytes, the payload holds %d", stated, found)
}

// beyond is the mismatch where decoding was stopped: how much more there is
// was not looked at.
func beyond(stated int) error {
	return errorf(UncompressedSizeMismatch, "uncompressed_size says %d bytes, the payload holds more", stated)
}
