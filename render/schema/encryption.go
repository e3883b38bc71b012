package schema

import "pulsar-dissect/decrypt"

var encryption = []field{
	{"type", oneOf("none", "tls"), "", required},
	{"version", text, "agreed on, such as TLS 1.3", optional},
	{"offered_version", text, "highest that the client offered", optional},
	{"cipher", text, "name of the suite agreed on, or its number", optional},
	{"server_name", text, "that the client asked for", optional},
	{"alpn", text, "protocol agreed on", optional},
	{"offered_alpn", listOf(text), "protocols that the client offered", optional},
	{"certificate", certificate, "of the server", optional},
	{"client_certificate", certificate, "", optional},
	{"resumed", oneOf(decrypt.BySessionID.String(), decrypt.ByTicket.String(), decrypt.ByPSK.String()), "how an earlier session was taken up", optional},
	{"extended_master_secret", always, "", optional},
	{"encrypt_then_mac", always, "", optional},
	{"early_data", always, "the client sent data with its first flight", optional},
	{"key_updates", count, "", optional},
	{"alerts", listOf(structure("",
		field{"dir", directions, "", required},
		field{"level", oneOf("fatal", "warning"), "", required},
		field{"description", text, "", required},
		field{"packet", count, "", required},
	)), "", optional},
	{"keys", truth, "whether secrets were found that open it", optional},
	{"why", text, "why some or all of it could not be opened", optional},
}

var certificate = object{{"anyOf", []any{
	structure("one that could be read",
		field{"subject", text, "distinguished name", required},
		field{"issuer", text, "", required},
		field{"names", listOf(text), "DNS names and addresses that it is for", optional},
		field{"not_after", object{{"type", "string"}, {"format", "date-time"}}, "", required},
	),
	structure("one that could not", field{"fault", text, "why", required}),
}}}
