package render

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/codec"
	"pulsar-dissect/proto"
	"pulsar-dissect/session"
)

// Members whose values are names are kept whole: a record takes its time by the
// pieces that it is put together from more than by their size.
var (
	checksums     = members(`,"checksum":"`, decode.NoChecksum, decode.ChecksumAbsent)
	states        = members(`,"state":"`, decode.StateOK, decode.StateIncomplete)
	directions    = members(`,"dir":"`, decode.ClientToServer, decode.ServerToClient)
	results       = members(`,"result":"`, session.OK, session.Repeat)
	exchangeKinds = members(`,"exchange":"`, session.Request, session.Watch)
	commandTypes  = commandMembers()
)

// members are the members of a type's names, by number; "" where the name is.
func members[T interface {
	~uint8
	fmt.Stringer
}](open string, first, last T) (list []string) {
	for v := first; v <= last; v++ {
		text := ""
		if name := v.String(); name != "" {
			text = open + name + `"`
		}
		list = append(list, text)
	}
	return list
}

// commandMembers are the members type of the commands of the catalogue.
func commandMembers() (list []string) {
	for i := range proto.Commands {
		c := &proto.Commands[i]
		for int(c.Number) >= len(list) {
			list = append(list, "")
		}
		list[c.Number] = `,"type":"` + c.Name + `"`
	}
	return list
}

// commandType appends the member type.
func commandType(dst []byte, number int32) []byte {
	if uint(number) < uint(len(commandTypes)) && commandTypes[number] != "" {
		return append(dst, commandTypes[number]...)
	}
	return append(append(append(dst, `,"type":"`...), decode.TypeName(number)...), '"')
}

func codecName(dst []byte, c codec.Codec) []byte {
	if c == codec.None {
		return append(dst, `,"codec":"NONE"`...)
	}
	return append(append(append(dst, `,"codec":"`...), c.String()...), '"')
}
