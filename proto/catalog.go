package proto

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/proto/pb"
)

// Sender tells which side sends a command.
type Sender uint8

// The sides. A command that facts does not know may come from both.
const (
	Both Sender = iota
	Client
	Broker
)

func (s Sender) String() string { return [...]string{"both", "client", "broker"}[s] }

// Command is one command type: what the schema and the facts say about it.
type Command struct {
	Number int32  // of the type, and of the field of its sub-command in BaseCommand
	Name   string // "SEND"

	// Field is the sub-command in BaseCommand. Its Message is the body.
	Field protoreflect.FieldDescriptor
	// RequestID is the number of the field request_id in the body, 0 if it has none.
	RequestID int32

	Sender  Sender
	Payload bool // metadata and payload follow the command in its frame

	// Responses are the types that answer it, none for a notice or a response.
	// ERROR is not among them: it answers any command with a request_id, and CONNECT.
	Responses []int32

	// Since is the lowest protocol version of a peer to which SinceSender may
	// send it, 0 if any.
	Since       int32
	SinceSender Sender
}

// Commands holds a row for every command type of the schema, by number.
var Commands = buildCommands()

// byNumber finds a row of Commands by the number of its type.
var byNumber = indexCommands()

// ByNumber returns the row of a type number, nil if the schema has none.
func ByNumber(n int32) *Command {
	if uint(n) < uint(len(byNumber)) {
		return byNumber[n]
	}
	return nil
}

func buildCommands() []Command {
	base := (&pb.BaseCommand{}).ProtoReflect().Descriptor()
	types := pb.BaseCommand_Type(0).Descriptor().Values()
	commands := make([]Command, 0, types.Len())
	for i := range types.Len() {
		t := types.Get(i)
		c := Command{
			Number: int32(t.Number()),
			Name:   string(t.Name()),
			Field:  base.Fields().ByNumber(protoreflect.FieldNumber(t.Number())), // the schema's rule: same number
		}
		if id := c.Field.Message().Fields().ByName("request_id"); id != nil {
			c.RequestID = int32(id.Number())
		}
		facts[pb.BaseCommand_Type(t.Number())].apply(&c)
		commands = append(commands, c)
	}
	return commands
}

func indexCommands() []*Command {
	index := make([]*Command, Commands[len(Commands)-1].Number+1)
	for i := range Commands {
		index[Commands[i].Number] = &Commands[i]
	}
	return index
}
