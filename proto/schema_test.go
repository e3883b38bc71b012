package proto

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/proto/bookiepb"
	"pulsar-dissect/proto/pb"
)

// The schema is held against the tables of facts: each side as a set of lines
// like "field Schema name 1 string required".
func TestSchemaIsThatOfTheTables(t *testing.T) {
	for table, file := range map[string]protoreflect.FileDescriptor{
		"testdata/fields.tsv":     pb.File_pulsar_proto,
		"testdata/markers.tsv":    pb.File_markers_proto,
		"testdata/bookkeeper.tsv": bookiepb.File_bookkeeper_proto,
	} {
		want, got := tableLines(t, table), fileLines(file)
		for line := range got {
			if !want[line] {
				t.Errorf("%s: the schema has %q, the table has not", table, line)
			}
		}
		for line := range want {
			if !got[line] {
				t.Errorf("%s: the table has %q, the schema has not", table, line)
			}
		}
	}
}

func TestTablesAreWhole(t *testing.T) {
	for table, want := range map[string]int{"testdata/fields.tsv": 695, "testdata/markers.tsv": 21, "testdata/bookkeeper.tsv": 108} {
		if got := len(tableLines(t, table)); got != want {
			t.Errorf("%s: %d facts, want %d", table, got, want)
		}
	}
}

func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func tableLines(t *testing.T, name string) map[string]bool {
	lines := map[string]bool{}
	for _, row := range readTable(t, name) {
		if row[0] == "message" {
			lines["message "+row[1]] = true
			continue
		}
		if !strings.HasPrefix(row[6], "default=") && !strings.HasPrefix(row[6], "oneof=") {
			row[6] = "" // a remark, not a fact of the schema
		}
		lines[strings.TrimSpace(strings.Join(row, " "))] = true
	}
	return lines
}

func fileLines(file protoreflect.FileDescriptor) map[string]bool {
	lines := map[string]bool{}
	addEnums(lines, file.Enums())
	for i := range file.Messages().Len() {
		m := file.Messages().Get(i)
		addEnums(lines, m.Enums())
		if m.Fields().Len() == 0 {
			lines["message "+string(m.Name())] = true
		}
		for j := range m.Fields().Len() {
			lines[fieldLine(m.Fields().Get(j))] = true
		}
	}
	return lines
}

func addEnums(lines map[string]bool, enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		e := enums.Get(i)
		for j := range e.Values().Len() {
			v := e.Values().Get(j)
			lines[fmt.Sprintf("enum %s %s %d", local(e), v.Name(), v.Number())] = true
		}
	}
}

func fieldLine(f protoreflect.FieldDescriptor) string {
	line := fmt.Sprintf("field %s %s %d %s %s", local(f.Parent()), f.Name(), f.Number(), typeName(f), f.Cardinality())
	if f.HasDefault() {
		line += " default=" + defaultText(f)
	}
	if o := f.ContainingOneof(); o != nil {
		line += " oneof=" + string(o.Name())
	}
	return line
}

func typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Enum() != nil:
		return local(f.Enum())
	case f.Message() != nil:
		return local(f.Message())
	}
	return f.Kind().String()
}

func defaultText(f protoreflect.FieldDescriptor) string {
	if v := f.DefaultEnumValue(); v != nil {
		return string(v.Name())
	}
	return f.Default().String()
}

// local is a name without the package.
func local(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
}

func TestVersionsAreThoseOfTheTable(t *testing.T) {
	want := map[string]int32{}
	for _, row := range readTable(t, "testdata/versions.tsv") {
		if len(row) < 3 {
			continue
		}
		names, _, _ := strings.Cut(row[2], "(")
		for _, name := range strings.Fields(names) {
			var v int32
			if _, err := fmt.Sscan(row[0], &v); err != nil {
				t.Fatal(err)
			}
			want[name] = v
		}
	}
	got := map[string]int32{}
	for _, c := range Commands {
		if c.Since > 0 {
			got[c.Name] = c.Since
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("versions: got %v, want %v", got, want)
	}
}

// A field whose name speaks of credentials is in the list of secrets.
func TestSecretsAreThoseNamedSo(t *testing.T) {
	names := regexp.MustCompile(`auth_data|token|password|secret|credential|masterKey`)
	var got []string
	for _, file := range []protoreflect.FileDescriptor{pb.File_pulsar_proto, bookiepb.File_bookkeeper_proto} {
		for line := range fileLines(file) {
			f := strings.Fields(line)
			if f[0] == "field" && (IsSecret(f[1], f[2]) || names.MatchString(f[2])) {
				got = append(got, f[1]+"."+f[2])
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"AddRequest.masterKey",
		"AuthData.auth_data",
		"AuthMessage.payload",
		"CommandConnect.auth_data",
		"CommandConnect.original_auth_data",
		"CommandLookupTopic.original_auth_data",
		"CommandPartitionedTopicMetadata.original_auth_data",
		"EncryptionKeys.value",
		"ReadRequest.masterKey",
		"WriteLacRequest.masterKey",
	}
	if !slices.Equal(got, want) || len(want) != len(secrets) {
		t.Errorf("secrets: got %q, want %q", got, want)
	}
}
