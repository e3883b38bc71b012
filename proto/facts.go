package proto

import "pulsar-dissect/proto/pb"

// fact is what a schema does not tell about a command.
type fact struct {
	sender    Sender
	responses []pb.BaseCommand_Type
	since     int32 // protocol version
}

// facts has a line for each command. Versions: testdata/versions.tsv.
var facts = map[pb.BaseCommand_Type]fact{
	pb.BaseCommand_CONNECT:        {Client, types{pb.BaseCommand_CONNECTED, pb.BaseCommand_AUTH_CHALLENGE}, 0},
	pb.BaseCommand_CONNECTED:      {Broker, nil, 0},
	pb.BaseCommand_AUTH_CHALLENGE: {Broker, types{pb.BaseCommand_AUTH_RESPONSE}, 14},
	pb.BaseCommand_AUTH_RESPONSE:  {Client, types{pb.BaseCommand_CONNECTED, pb.BaseCommand_AUTH_CHALLENGE}, 14},
	pb.BaseCommand_PING:           {Both, types{pb.BaseCommand_PONG}, 1},
	pb.BaseCommand_PONG:           {Both, nil, 1},
	pb.BaseCommand_SUCCESS:        {Broker, nil, 0},
	pb.BaseCommand_ERROR:          {Broker, nil, 0},

	pb.BaseCommand_PARTITIONED_METADATA:          {Client, types{pb.BaseCommand_PARTITIONED_METADATA_RESPONSE}, 7},
	pb.BaseCommand_PARTITIONED_METADATA_RESPONSE: {Broker, nil, 7},
	pb.BaseCommand_LOOKUP:                        {Client, types{pb.BaseCommand_LOOKUP_RESPONSE}, 7},
	pb.BaseCommand_LOOKUP_RESPONSE:               {Broker, nil, 7},

	pb.BaseCommand_PRODUCER:         {Client, types{pb.BaseCommand_PRODUCER_SUCCESS}, 0},
	pb.BaseCommand_PRODUCER_SUCCESS: {Broker, nil, 0},
	pb.BaseCommand_SEND:             {Client, types{pb.BaseCommand_SEND_RECEIPT, pb.BaseCommand_SEND_ERROR}, 0},
	pb.BaseCommand_SEND_RECEIPT:     {Broker, nil, 0},
	pb.BaseCommand_SEND_ERROR:       {Broker, nil, 0},
	pb.BaseCommand_CLOSE_PRODUCER:   {Both, types{pb.BaseCommand_SUCCESS}, 5},

	pb.BaseCommand_SUBSCRIBE:      {Client, types{pb.BaseCommand_SUCCESS}, 0},
	pb.BaseCommand_FLOW:           {Client, nil, 0},
	pb.BaseCommand_MESSAGE:        {Broker, nil, 0},
	pb.BaseCommand_ACK:            {Client, types{pb.BaseCommand_ACK_RESPONSE}, 0},
	pb.BaseCommand_ACK_RESPONSE:   {Broker, nil, 17},
	pb.BaseCommand_UNSUBSCRIBE:    {Client, types{pb.BaseCommand_SUCCESS}, 0},
	pb.BaseCommand_SEEK:           {Client, types{pb.BaseCommand_SUCCESS}, 0},
	pb.BaseCommand_CLOSE_CONSUMER: {Both, types{pb.BaseCommand_SUCCESS}, 5},

	pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES: {Client, nil, 2},
	pb.BaseCommand_CONSUMER_STATS:                    {Client, types{pb.BaseCommand_CONSUMER_STATS_RESPONSE}, 8},
	pb.BaseCommand_CONSUMER_STATS_RESPONSE:           {Broker, nil, 8},
	pb.BaseCommand_REACHED_END_OF_TOPIC:              {Broker, nil, 9},
	pb.BaseCommand_GET_LAST_MESSAGE_ID:               {Client, types{pb.BaseCommand_GET_LAST_MESSAGE_ID_RESPONSE}, 12},
	pb.BaseCommand_GET_LAST_MESSAGE_ID_RESPONSE:      {Broker, nil, 12},
	pb.BaseCommand_ACTIVE_CONSUMER_CHANGE:            {Broker, nil, 12},
	pb.BaseCommand_TOPIC_MIGRATED:                    {Broker, nil, 20},

	pb.BaseCommand_GET_TOPICS_OF_NAMESPACE:          {Client, types{pb.BaseCommand_GET_TOPICS_OF_NAMESPACE_RESPONSE}, 12},
	pb.BaseCommand_GET_TOPICS_OF_NAMESPACE_RESPONSE: {Broker, nil, 12},
	pb.BaseCommand_WATCH_TOPIC_LIST:                 {Client, types{pb.BaseCommand_WATCH_TOPIC_LIST_SUCCESS}, 0},
	pb.BaseCommand_WATCH_TOPIC_LIST_SUCCESS:         {Broker, nil, 0},
	pb.BaseCommand_WATCH_TOPIC_UPDATE:               {Broker, nil, 0},
	pb.BaseCommand_WATCH_TOPIC_LIST_CLOSE:           {Client, types{pb.BaseCommand_SUCCESS}, 0},

	pb.BaseCommand_GET_SCHEMA:                    {Client, types{pb.BaseCommand_GET_SCHEMA_RESPONSE}, 13},
	pb.BaseCommand_GET_SCHEMA_RESPONSE:           {Broker, nil, 13},
	pb.BaseCommand_GET_OR_CREATE_SCHEMA:          {Client, types{pb.BaseCommand_GET_OR_CREATE_SCHEMA_RESPONSE}, 15},
	pb.BaseCommand_GET_OR_CREATE_SCHEMA_RESPONSE: {Broker, nil, 15},

	pb.BaseCommand_TC_CLIENT_CONNECT_REQUEST:        {Client, types{pb.BaseCommand_TC_CLIENT_CONNECT_RESPONSE}, 19},
	pb.BaseCommand_TC_CLIENT_CONNECT_RESPONSE:       {Broker, nil, 19},
	pb.BaseCommand_NEW_TXN:                          {Client, types{pb.BaseCommand_NEW_TXN_RESPONSE}, 0},
	pb.BaseCommand_NEW_TXN_RESPONSE:                 {Broker, nil, 0},
	pb.BaseCommand_ADD_PARTITION_TO_TXN:             {Client, types{pb.BaseCommand_ADD_PARTITION_TO_TXN_RESPONSE}, 0},
	pb.BaseCommand_ADD_PARTITION_TO_TXN_RESPONSE:    {Broker, nil, 0},
	pb.BaseCommand_ADD_SUBSCRIPTION_TO_TXN:          {Client, types{pb.BaseCommand_ADD_SUBSCRIPTION_TO_TXN_RESPONSE}, 0},
	pb.BaseCommand_ADD_SUBSCRIPTION_TO_TXN_RESPONSE: {Broker, nil, 0},
	pb.BaseCommand_END_TXN:                          {Client, types{pb.BaseCommand_END_TXN_RESPONSE}, 0},
	pb.BaseCommand_END_TXN_RESPONSE:                 {Broker, nil, 0},
	// Between brokers: the coordinator's is the client.
	pb.BaseCommand_END_TXN_ON_PARTITION:             {Client, types{pb.BaseCommand_END_TXN_ON_PARTITION_RESPONSE}, 0},
	pb.BaseCommand_END_TXN_ON_PARTITION_RESPONSE:    {Broker, nil, 0},
	pb.BaseCommand_END_TXN_ON_SUBSCRIPTION:          {Client, types{pb.BaseCommand_END_TXN_ON_SUBSCRIPTION_RESPONSE}, 0},
	pb.BaseCommand_END_TXN_ON_SUBSCRIPTION_RESPONSE: {Broker, nil, 0},

	pb.BaseCommand_SCALABLE_TOPIC_LOOKUP:             {Client, types{pb.BaseCommand_SCALABLE_TOPIC_UPDATE}, 0},
	pb.BaseCommand_SCALABLE_TOPIC_UPDATE:             {Broker, nil, 0},
	pb.BaseCommand_SCALABLE_TOPIC_CLOSE:              {Client, nil, 0},
	pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE:          {Client, types{pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE_RESPONSE}, 0},
	pb.BaseCommand_SCALABLE_TOPIC_SUBSCRIBE_RESPONSE: {Broker, nil, 0},
	pb.BaseCommand_SCALABLE_TOPIC_ASSIGNMENT_UPDATE:  {Broker, nil, 0},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS:             {Client, types{pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE}, 0},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS_UPDATE:      {Broker, nil, 0},
	pb.BaseCommand_WATCH_SCALABLE_TOPICS_CLOSE:       {Client, nil, 0},
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS:              {Client, types{pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE}, 0},
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS_UPDATE:       {Broker, nil, 0},
	pb.BaseCommand_WATCH_TC_ASSIGNMENTS_CLOSE:        {Client, nil, 0},
}

type types = []pb.BaseCommand_Type

// payload lists the commands that metadata and a payload follow.
var payload = map[pb.BaseCommand_Type]bool{pb.BaseCommand_SEND: true, pb.BaseCommand_MESSAGE: true}

// notices lists the requests that brokers send as notices, which nothing
// answers. Only as such did they come with a protocol version.
var notices = map[pb.BaseCommand_Type]bool{pb.BaseCommand_CLOSE_PRODUCER: true, pb.BaseCommand_CLOSE_CONSUMER: true}

// apply fills in the row of a command.
func (f fact) apply(c *Command) {
	c.Sender, c.Since, c.SinceSender = f.sender, f.since, f.sender
	for _, r := range f.responses {
		c.Responses = append(c.Responses, int32(r))
	}
	c.Payload = payload[pb.BaseCommand_Type(c.Number)]
	if notices[pb.BaseCommand_Type(c.Number)] {
		c.SinceSender = Broker
	}
}
