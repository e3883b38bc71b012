package diagnose

// Rules are all rules there are, in the order of the documentation.
var Rules = []*Rule{
	// Connection
	wrongProtocol,
	handshakeStalled,
	authFailed,
	authChallengeUnanswered,
	authRefreshUnsupported,
	versionViolation,
	keepaliveTimeout,
	keepaliveOneWay,
	keepaliveStarved,
	abruptClose,
	reconnectStorm,
	connectionRefused,
	tcpStall,
	frameTooLarge,
	streamDesync,
	captureQuality,

	// Lookup
	redirectLoop,
	authoritativeDropped,
	lookupFailed,
	lookupStorm,
	lookupUnfollowed,

	// Producer
	sendUnanswered,
	sendSlow,
	sendResent,
	sendDeduplicated,
	sequenceViolation,
	producerRefused,
	producerBusy,
	producerFenced,
	producerWaiting,
	checksumBad,
	sendRejected,
	producerClosedByBroker,
	unloadLoop,

	// Consumer
	permitStarvation,
	idleConsumer,
	permitLeak,
	permitPerEntry,
	overDelivery,
	duplicateDelivery,
	redeliveryLoop,
	ackHole,
	ackIllegal,
	ackWholeEntry,
	ackUnanswered,
	unackedLimit,
	throttled,
	keyBlocked,
	dispatchStalled,
	ackSlow,
	requestSlow,
	brokerStall,
	validationErrorAck,
	consumerBusy,
	consumerRefused,
	failoverFlapping,
	keyOrderViolation,
	staleEpoch,
	endOfTopic,
	consumerClosedByBroker,
	topicMigrated,

	// Data
	batchMalformed,
	compressionMismatch,
	chunkIncomplete,
	chunkOrphan,
	chunkResent,
	brokerMetadataLeak,
	schemaIncompatible,
	undecryptable,
	txnUnfinished,
	txnUnknown,
	txnTimeout,
	txnConflict,

	// Conformance
	missingField,
	wrongSubcommand,
	idReused,
	usedBeforeOpen,
	checksumAbsent,
	messageCountMismatch,
	unknownNotTolerated,
	flowInvalid,
	frameLayout,
	frameSizeNegative,
}

// ByName finds a rule, nil if there is none of that name.
func ByName(name string) *Rule {
	for _, r := range Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}
