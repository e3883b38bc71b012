package proto

// secrets lists the fields that hold credentials or key material, by message.
// Every output shows their length and a hash unless told otherwise.
var secrets = map[[2]string]bool{
	{"CommandConnect", "auth_data"}:                           true,
	{"CommandConnect", "original_auth_data"}:                  true,
	{"CommandPartitionedTopicMetadata", "original_auth_data"}: true,
	{"CommandLookupTopic", "original_auth_data"}:              true,
	{"AuthData", "auth_data"}:                                 true, // AUTH_CHALLENGE and AUTH_RESPONSE
	{"EncryptionKeys", "value"}:                               true, // data key, wrapped
	{"AuthMessage", "payload"}:                                true, // of bookies, as the three below
	{"AddRequest", "masterKey"}:                               true,
	{"ReadRequest", "masterKey"}:                              true,
	{"WriteLacRequest", "masterKey"}:                          true,
}

// IsSecret tells whether the field of that name in the message of that name
// holds a secret.
func IsSecret(message, field string) bool { return secrets[[2]string{message, field}] }
