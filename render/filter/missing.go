package filter

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// Records leave out what is not so: a frame that is whole has no "incomplete".
// CEL takes a field that is not there for an error, which makes the whole
// expression fail. Here it is false: what fails for a missing field fails as a
// false record does, and behind a "!" it is false at once, so that
// "!incomplete" is true.

// isMissing tells of an error of CEL whether something was not there. CEL has
// no types for its errors.
func isMissing(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "no such key") || strings.HasPrefix(text, "no such attribute") ||
		strings.HasPrefix(text, "index out of bounds")
}

// orFalseName is a name that cannot be written in an expression.
const orFalseName = "@or_false"

// orFalse is the function that turns a missing field into false.
var orFalse = cel.Function(orFalseName, cel.Overload("or_false_dyn", []*cel.Type{cel.DynType}, cel.DynType,
	cel.OverloadIsNonStrict(), cel.UnaryBinding(func(v ref.Val) ref.Val {
		if err, ok := v.(*types.Err); ok && isMissing(err) {
			return types.False
		}
		return v
	})))

// missingIsFalse puts orFalse around the operand of each "!".
type missingIsFalse struct{}

func (missingIsFalse) Optimize(ctx *cel.OptimizerContext, tree *ast.AST) *ast.AST {
	nots := ast.MatchDescendants(ast.NavigateAST(tree), ast.FunctionMatcher(operators.LogicalNot))
	for _, not := range slices.Backward(nots) { // those inside first
		operand := not.AsCall().Args()[0]
		ctx.UpdateExpr(operand, ctx.NewCall(orFalseName, ctx.CopyASTAndMetadata(ctx.NewAST(operand))))
	}
	return tree
}

// wholeRecord is the name of the whole record in an expression.
const wholeRecord = "record"

// hasMacro is CEL's has() for names at the top of a record too: has(issues).
var hasMacro = cel.GlobalMacro("has", 1, func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
	if args[0].Kind() == ast.IdentKind {
		return f.NewPresenceTest(f.NewIdent(wholeRecord), args[0].AsIdent()), nil
	}
	return parser.MakeHas(f, target, args)
})
