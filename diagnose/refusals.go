package diagnose

// codeAdvice is what to do about a code with which a broker refuses a producer,
// a consumer or a message (ServerError). What has no row gets the rule's advice,
// which goes over all.
var codeAdvice = map[string]string{
	"ProducerBlockedQuotaExceededError":     "Consume or clear the topic's backlog, or raise its quota. The client holds the producer back and tries again.",
	"ProducerBlockedQuotaExceededException": "Consume or clear the topic's backlog, or raise its quota. The client fails the producer.",
	"TopicTerminatedError":                  "The topic takes no more messages: send to another one.",
	"PersistenceError":                      "Look at the bookies: down, full, or too few of them for the ensemble.",
	"MetadataError":                         "Look at the metadata store (ZooKeeper, etcd, Oxia) and at the broker's connection to it.",
	"ServiceNotReady":                       "Nothing, if it passes: a topic is being loaded or moved, and clients try again. Else look at the broker's log.",
	"AuthorizationError":                    "Grant the role what it tried to do (pulsar-admin namespaces or topics grant-permission).",
	"AuthenticationError":                   "Look at the client's credentials, and at whether they have expired.",
	"NotAllowedError":                       "Look at the broker's text: most often the message is larger than the topic allows, or a policy forbids it.",
	"ChecksumError":                         "See checksum-bad: the bytes changed between the application and the broker.",
	"TopicNotFound":                         "Create the topic, or allow it to be made by itself (allowAutoTopicCreation).",
	"SubscriptionNotFound":                  "Create the subscription, or allow it to be made by itself (allowAutoSubscriptionCreation).",
	"InvalidTopicName":                      "Correct the name that the client is given.",
	"UnsupportedVersionError":               "Bring client and broker to versions that both have what was asked for.",
	"TooManyRequests":                       "Let the client do fewer at a time, or raise maxConcurrentLookupRequest and its like.",
}
