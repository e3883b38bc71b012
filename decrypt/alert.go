package decrypt

import "fmt"

// alertNames are the descriptions of alerts by number (RFC 8446, section 6,
// and the IANA registry "TLS Alerts" for those of earlier versions).
var alertNames = map[byte]string{
	0:   "close_notify",
	10:  "unexpected_message",
	20:  "bad_record_mac",
	21:  "decryption_failed",
	22:  "record_overflow",
	30:  "decompression_failure",
	40:  "handshake_failure",
	41:  "no_certificate",
	42:  "bad_certificate",
	43:  "unsupported_certificate",
	44:  "certificate_revoked",
	45:  "certificate_expired",
	46:  "certificate_unknown",
	47:  "illegal_parameter",
	48:  "unknown_ca",
	49:  "access_denied",
	50:  "decode_error",
	51:  "decrypt_error",
	60:  "export_restriction",
	70:  "protocol_version",
	71:  "insufficient_security",
	80:  "internal_error",
	86:  "inappropriate_fallback",
	90:  "user_canceled",
	100: "no_renegotiation",
	109: "missing_extension",
	110: "unsupported_extension",
	111: "certificate_unobtainable",
	112: "unrecognized_name",
	113: "bad_certificate_status_response",
	114: "bad_certificate_hash_value",
	115: "unknown_psk_identity",
	116: "certificate_required",
	120: "no_application_protocol",
}

const alertFatal = 2 // level; in TLS 1.3 all but two descriptions are fatal whatever it says

// alert notes an alert of a direction. b is the content of its record.
func (t *connection) alert(h *half, b []byte) {
	if len(b) != 2 || len(t.facts.Alerts) >= mostAlerts {
		return
	}
	name, ok := alertNames[b[1]]
	if !ok {
		name = fmt.Sprintf("alert %d", b[1])
	}
	t.facts.Alerts = append(t.facts.Alerts, Alert{From: h.side, Fatal: b[0] == alertFatal, Code: b[1], Description: name, At: h.at})
}

func hex16(v uint16) string { return fmt.Sprintf("0x%04X", v) }
