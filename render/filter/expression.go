package filter

import (
	"errors"
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"pulsar-dissect/render/schema"
	"pulsar-dissect/session"
)

// maxCost bounds the work for one record, in CEL's units of cost: about one for
// each step, and for each ten characters looked at. This much takes some 10 ms.
const maxCost = 100_000

// Doubts tells of records that an expression could not judge. They are not
// shown.
type Doubts struct {
	Records uint64
	First   error // why the first of them
}

// Doubts is what expressions could not judge so far. A missing field is no
// doubt.
func (f *Filter) Doubts() Doubts { return f.doubts }

// parseExpression compiles an expression.
func parseExpression(value string) (predicate, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	program, err := compile(env, value)
	if err != nil {
		return nil, err
	}
	return func(f *Filter, e *session.Event) bool { return f.judge(program, e) }, nil
}

// topNames are the names at the top of records.
var topNames = makeNames()

func makeNames() map[string]string {
	names := map[string]string{}
	for _, name := range schema.Names() {
		names[name] = name
	}
	return names
}

// environment declares the names of all records. A record has only some of
// them, so all are of any type.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{cel.CustomTypeAdapter(values{}), cel.Variable(wholeRecord, cel.DynType), cel.Macros(hasMacro), orFalse}
	for name := range topNames {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	return cel.NewEnv(options...)
})

func compile(env *cel.Env, text string) (cel.Program, error) {
	tree, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, explain(text, issues.Errors())
	}
	if t := tree.OutputType(); t != cel.BoolType && t != cel.DynType {
		return nil, fmt.Errorf("%s gives a value of type %s, not true or false", text, t)
	}
	optimizer, err := cel.NewStaticOptimizer(missingIsFalse{})
	if err != nil {
		return nil, err
	}
	if tree, issues = optimizer.Optimize(env, tree); issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(tree, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptOptimize))
}

var errNoBool = errors.New("the value of the expression is neither true nor false")

// judge evaluates an expression on the record of an event.
func (f *Filter) judge(p cel.Program, e *session.Event) bool {
	if err := f.record.make(e); err != nil {
		f.doubts.note(err)
		return false
	}
	value, _, err := p.Eval(&f.record)
	if b, ok := value.(types.Bool); ok && err == nil {
		return bool(b)
	}
	if err == nil {
		err = errNoBool
	}
	if !isMissing(err) {
		f.doubts.note(err)
	}
	return false
}

func (d *Doubts) note(err error) {
	if d.Records == 0 {
		d.First = err
	}
	d.Records++
}
