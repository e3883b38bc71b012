package render

import (
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// show appends the value of a field of a command that is there.
type show func(dst []byte, w *wire.Walk, parent int, number int32) []byte

// phrase is one field of a command in a line.
type phrase struct {
	before string // words before the value
	number int32
	show   show
}

// nicer has the commands whose lines are worth choosing fields for. Any other
// command shows all its fields.
var nicer = map[pb.BaseCommand_Type][]phrase{
	pb.BaseCommand_CONNECT: {
		{"", field.CommandConnectClientVersion, showText}, {"protocol", field.CommandConnectProtocolVersion, showNumber},
		{"auth", field.CommandConnectAuthMethodName, showText}, {"as", field.CommandConnectOriginalPrincipal, showText},
		{"to broker", field.CommandConnectProxyToBrokerUrl, showText}, {"proxy", field.CommandConnectProxyVersion, showText},
	},
	pb.BaseCommand_CONNECTED: {
		{"", field.CommandConnectedServerVersion, showText}, {"protocol", field.CommandConnectedProtocolVersion, showNumber},
		{"max message", field.CommandConnectedMaxMessageSize, showSize},
	},
	pb.BaseCommand_PRODUCER: {
		{"producer", field.CommandProducerProducerId, showNumber}, {"on", field.CommandProducerTopic, showTopic},
		{"name", field.CommandProducerProducerName, showText}, {"mode", field.CommandProducerProducerAccessMode, showEnum},
		{"request", field.CommandProducerRequestId, showNumber},
	},
	pb.BaseCommand_PRODUCER_SUCCESS: {
		{"name", field.CommandProducerSuccessProducerName, showText}, {"last sequence", field.CommandProducerSuccessLastSequenceId, showSigned},
		{"ready", field.CommandProducerSuccessProducerReady, showBool}, {"request", field.CommandProducerSuccessRequestId, showNumber},
	},
	pb.BaseCommand_SUBSCRIBE: {
		{"consumer", field.CommandSubscribeConsumerId, showNumber}, {"on", field.CommandSubscribeTopic, showTopic},
		{"subscription", field.CommandSubscribeSubscription, showText}, {"type", field.CommandSubscribeSubType, showEnum},
		{"name", field.CommandSubscribeConsumerName, showText}, {"start", field.CommandSubscribeStartMessageId, showIDs},
		{"from", field.CommandSubscribeInitialPosition, showEnum}, {"request", field.CommandSubscribeRequestId, showNumber},
	},
	pb.BaseCommand_SEND: {
		{"producer", field.CommandSendProducerId, showNumber}, {"seq", field.CommandSendSequenceId, showSigned},
		{"to", field.CommandSendHighestSequenceId, showSigned},
	},
	pb.BaseCommand_SEND_RECEIPT: {
		{"producer", field.CommandSendReceiptProducerId, showNumber}, {"seq", field.CommandSendReceiptSequenceId, showSigned},
		{"stored as", field.CommandSendReceiptMessageId, showIDs},
	},
	pb.BaseCommand_SEND_ERROR: {
		{"producer", field.CommandSendErrorProducerId, showNumber}, {"seq", field.CommandSendErrorSequenceId, showSigned},
		{"", field.CommandSendErrorError, showEnum}, {"", field.CommandSendErrorMessage, showQuoted},
	},
	pb.BaseCommand_MESSAGE: {
		{"consumer", field.CommandMessageConsumerId, showNumber}, {"", field.CommandMessageMessageId, showIDs},
		{"redelivery", field.CommandMessageRedeliveryCount, showNumber},
	},
	pb.BaseCommand_ACK: {
		{"consumer", field.CommandAckConsumerId, showNumber}, {"", field.CommandAckAckType, showEnum},
		{"", field.CommandAckMessageId, showIDs}, {"", field.CommandAckValidationError, showEnum},
		{"request", field.CommandAckRequestId, showNumber},
	},
	pb.BaseCommand_FLOW: {
		{"consumer", field.CommandFlowConsumerId, showNumber}, {"permits", field.CommandFlowMessagePermits, showNumber},
	},
	pb.BaseCommand_ERROR: {
		{"", field.CommandErrorError, showEnum}, {"", field.CommandErrorMessage, showQuoted}, {"request", field.CommandErrorRequestId, showSigned},
	},
	pb.BaseCommand_SUCCESS: {
		{"request", field.CommandSuccessRequestId, showNumber},
	},
	pb.BaseCommand_PARTITIONED_METADATA: {
		{"", field.CommandPartitionedTopicMetadataTopic, showTopic}, {"request", field.CommandPartitionedTopicMetadataRequestId, showNumber},
	},
	pb.BaseCommand_PARTITIONED_METADATA_RESPONSE: {
		{"partitions", field.CommandPartitionedTopicMetadataResponsePartitions, showNumber},
		{"", field.CommandPartitionedTopicMetadataResponseError, showEnum}, {"", field.CommandPartitionedTopicMetadataResponseMessage, showQuoted},
		{"request", field.CommandPartitionedTopicMetadataResponseRequestId, showNumber},
	},
	pb.BaseCommand_LOOKUP: {
		{"", field.CommandLookupTopicTopic, showTopic}, {"listener", field.CommandLookupTopicAdvertisedListenerName, showText},
		{"request", field.CommandLookupTopicRequestId, showNumber},
	},
	pb.BaseCommand_LOOKUP_RESPONSE: {
		{"", field.CommandLookupTopicResponseResponse, showEnum}, {"", field.CommandLookupTopicResponseBrokerServiceUrl, showText},
		{"", field.CommandLookupTopicResponseError, showEnum}, {"", field.CommandLookupTopicResponseMessage, showQuoted},
		{"request", field.CommandLookupTopicResponseRequestId, showNumber},
	},
	pb.BaseCommand_GET_LAST_MESSAGE_ID: {
		{"consumer", field.CommandGetLastMessageIdConsumerId, showNumber}, {"request", field.CommandGetLastMessageIdRequestId, showNumber},
	},
	pb.BaseCommand_GET_LAST_MESSAGE_ID_RESPONSE: {
		{"last", field.CommandGetLastMessageIdResponseLastMessageId, showIDs},
		{"marked deleted to", field.CommandGetLastMessageIdResponseConsumerMarkDeletePosition, showIDs},
		{"request", field.CommandGetLastMessageIdResponseRequestId, showNumber},
	},
	pb.BaseCommand_SEEK: {
		{"consumer", field.CommandSeekConsumerId, showNumber}, {"to", field.CommandSeekMessageId, showIDs},
		{"to", field.CommandSeekMessagePublishTime, showMillis}, {"request", field.CommandSeekRequestId, showNumber},
	},
	pb.BaseCommand_CLOSE_PRODUCER: {
		{"producer", field.CommandCloseProducerProducerId, showNumber}, {"now at", field.CommandCloseProducerAssignedBrokerServiceUrl, showText},
		{"request", field.CommandCloseProducerRequestId, showSigned},
	},
	pb.BaseCommand_CLOSE_CONSUMER: {
		{"consumer", field.CommandCloseConsumerConsumerId, showNumber}, {"now at", field.CommandCloseConsumerAssignedBrokerServiceUrl, showText},
		{"request", field.CommandCloseConsumerRequestId, showSigned},
	},
	pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES: {
		{"consumer", field.CommandRedeliverUnacknowledgedMessagesConsumerId, showNumber},
		{"", field.CommandRedeliverUnacknowledgedMessagesMessageIds, showIDs},
	},
	pb.BaseCommand_SCALABLE_TOPIC_LOOKUP: {
		{"session", field.CommandScalableTopicLookupSessionId, showNumber}, {"on", field.CommandScalableTopicLookupTopic, showTopic},
		{"create", field.CommandScalableTopicLookupCreateIfMissing, showBool},
	},
	pb.BaseCommand_SCALABLE_TOPIC_UPDATE: {
		{"session", field.CommandScalableTopicUpdateSessionId, showNumber}, {"on", field.CommandScalableTopicUpdateResolvedTopicName, showTopic},
		{"", field.CommandScalableTopicUpdateDag, showDAG}, {"", field.CommandScalableTopicUpdateError, showEnum},
		{"", field.CommandScalableTopicUpdateMessage, showQuoted},
	},
	pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE: {
		{"consumer", field.CommandScalableTopicSubscribeConsumerId, showNumber}, {"on", field.CommandScalableTopicSubscribeTopic, showTopic},
		{"subscription", field.CommandScalableTopicSubscribeSubscription, showText},
		{"type", field.CommandScalableTopicSubscribeConsumerType, showEnum}, {"name", field.CommandScalableTopicSubscribeConsumerName, showText},
		{"request", field.CommandScalableTopicSubscribeRequestId, showNumber},
	},
	pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE_RESPONSE: {
		{"", field.CommandScalableTopicSubscribeResponseAssignment, showAssignment},
		{"", field.CommandScalableTopicSubscribeResponseError, showEnum}, {"", field.CommandScalableTopicSubscribeResponseMessage, showQuoted},
		{"request", field.CommandScalableTopicSubscribeResponseRequestId, showNumber},
	},
	pb.BaseCommand_SCALABLE_TOPIC_ASSIGNMENT_UPDATE: {
		{"consumer", field.CommandScalableTopicAssignmentUpdateConsumerId, showNumber},
		{"", field.CommandScalableTopicAssignmentUpdateAssignment, showAssignment},
	},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS: {
		{"watch", field.CommandWatchScalableTopicsWatchId, showNumber}, {"of", field.CommandWatchScalableTopicsNamespace, showText},
		{"with", field.CommandWatchScalableTopicsPropertyFilters, showFilters}, {"known as", field.CommandWatchScalableTopicsCurrentHash, showText},
	},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE: {
		{"watch", field.CommandWatchScalableTopicsUpdateWatchId, showNumber}, {"has", field.CommandWatchScalableTopicsUpdateSnapshot, showSnapshot},
		{"now", field.CommandWatchScalableTopicsUpdateDiff, showDiff}, {"", field.CommandWatchScalableTopicsUpdateError, showEnum},
		{"", field.CommandWatchScalableTopicsUpdateMessage, showQuoted},
	},
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE: {
		{"watch", field.CommandWatchTcAssignmentsUpdateWatchId, showNumber}, {"has", field.CommandWatchTcAssignmentsUpdateSnapshot, showCoordinators},
		{"", field.CommandWatchTcAssignmentsUpdateError, showEnum}, {"", field.CommandWatchTcAssignmentsUpdateMessage, showQuoted},
	},
}
