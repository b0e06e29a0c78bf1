package reader

import (
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A goKind is a kind of node or token of Go. The grammar has numbers of its own for
// them; goSymbols says which.
type goKind uint8

const (
	goNone goKind = iota // no node; at the end of the text

	goNewline
	goSemicolon
	goLeftParen
	goRightParen
	goLeftBracket
	goRightBracket
	goLeftBrace
	goRightBrace
	goComma
	goDot
	goEllipsis
	goColon
	goDefine
	goAssign
	goIncrement
	goDecrement
	goArrow
	goTilde
	goNot

	goMultiply
	goDivide
	goRemainder
	goShiftLeft
	goShiftRight
	goAnd
	goAndNot
	goAdd
	goSubtract
	goOr
	goXor
	goEqual
	goNotEqual
	goLess
	goLessEqual
	goGreater
	goGreaterEqual
	goLogicalAnd
	goLogicalOr

	goMultiplyAssign
	goDivideAssign
	goRemainderAssign
	goShiftLeftAssign
	goShiftRightAssign
	goAndAssign
	goAndNotAssign
	goAddAssign
	goSubtractAssign
	goOrAssign
	goXorAssign

	goPackage
	goImport
	goConst
	goVar
	goFunc
	goTypeWord
	goStruct
	goInterface
	goMap
	goChan
	goFallthrough
	goBreak
	goContinue
	goGoto
	goReturn
	goGo
	goDefer
	goIf
	goElse
	goFor
	goRange
	goSwitch
	goCase
	goDefault
	goSelect
	goQuote

	goComment // the first kind with a name
	goIdentifier
	goNil
	goTrue
	goFalse
	goIota
	goNew  // a token: the node is an identifier
	goMake // as above
	goInt
	goFloat
	goImaginary
	goRune
	goRaw
	goString
	goEscape
	goBlank
	goDotName
	goFieldName
	goLabelName
	goPackageName
	goTypeName

	goSourceFile
	goPackageClause
	goImportDeclaration
	goImportSpec
	goImportList
	goConstDeclaration
	goConstSpec
	goVarDeclaration
	goVarSpec
	goVarList
	goFunctionDeclaration
	goMethodDeclaration
	goTypeParameters
	goTypeParameter
	goConstraint
	goParameters
	goParameter
	goVariadicParameter
	goTypeAlias
	goTypeDeclaration
	goTypeSpec
	goExpressionList

	goParenthesizedType
	goGenericType
	goTypeArguments
	goPointerType
	goArrayType
	goImplicitArrayType
	goSliceType
	goStructType
	goNegatedType
	goFields
	goField
	goInterfaceType
	goMethodElem
	goTypeElem
	goMapType
	goChannelType
	goFunctionType
	goQualifiedType

	goBlock
	goExpressionStatement
	goSendStatement
	goReceiveStatement
	goIncStatement
	goDecStatement
	goAssignment
	goShortVar
	goLabeledStatement
	goFallthroughStatement
	goBreakStatement
	goContinueStatement
	goGotoStatement
	goReturnStatement
	goGoStatement
	goDeferStatement
	goIfStatement
	goForStatement
	goForClause
	goRangeClause
	goExpressionSwitch
	goExpressionCase
	goDefaultCase
	goTypeSwitch
	goTypeCase
	goSelectStatement
	goCommunicationCase

	goParenthesized
	goCall
	goVariadicArgument
	goArguments
	goSelector
	goIndex
	goSlice
	goAssertion
	goConversion
	goInstantiation
	goComposite
	goLiteralValue
	goLiteralElement
	goKeyedElement
	goFuncLiteral
	goUnary
	goBinary

	goKinds
)

// goKindNames are the grammar's names.
var goKindNames = [goKinds]string{
	goNewline: "\n", goSemicolon: ";", goLeftParen: "(", goRightParen: ")", goLeftBracket: "[", goRightBracket: "]",
	goLeftBrace: "{", goRightBrace: "}", goComma: ",", goDot: ".", goEllipsis: "...", goColon: ":", goDefine: ":=",
	goAssign: "=", goIncrement: "++", goDecrement: "--", goArrow: "<-", goTilde: "~", goNot: "!",
	goMultiply: "*", goDivide: "/", goRemainder: "%", goShiftLeft: "<<", goShiftRight: ">>", goAnd: "&", goAndNot: "&^",
	goAdd: "+", goSubtract: "-", goOr: "|", goXor: "^", goEqual: "==", goNotEqual: "!=", goLess: "<", goLessEqual: "<=",
	goGreater: ">", goGreaterEqual: ">=", goLogicalAnd: "&&", goLogicalOr: "||",
	goMultiplyAssign: "*=", goDivideAssign: "/=", goRemainderAssign: "%=", goShiftLeftAssign: "<<=",
	goShiftRightAssign: ">>=", goAndAssign: "&=", goAndNotAssign: "&^=", goAddAssign: "+=", goSubtractAssign: "-=",
	goOrAssign: "|=", goXorAssign: "^=",
	goPackage: "package", goImport: "import", goConst: "const", goVar: "var", goFunc: "func", goTypeWord: "type",
	goStruct: "struct", goInterface: "interface", goMap: "map", goChan: "chan", goFallthrough: "fallthrough",
	goBreak: "break", goContinue: "continue", goGoto: "goto", goReturn: "return", goGo: "go", goDefer: "defer",
	goIf: "if", goElse: "else", goFor: "for", goRange: "range", goSwitch: "switch", goCase: "case",
	goDefault: "default", goSelect: "select", goQuote: "\"",

	goComment: "comment", goIdentifier: "identifier", goNil: "nil", goTrue: "true", goFalse: "false", goIota: "iota",
	goNew: "identifier", goMake: "identifier", goInt: "int_literal", goFloat: "float_literal",
	goImaginary: "imaginary_literal", goRune: "rune_literal", goRaw: "raw_string_literal",
	goString: "interpreted_string_literal", goEscape: "escape_sequence", goBlank: "blank_identifier", goDotName: "dot",
	goFieldName: "field_identifier", goLabelName: "label_name", goPackageName: "package_identifier",
	goTypeName: "type_identifier",

	goSourceFile: "source_file", goPackageClause: "package_clause", goImportDeclaration: "import_declaration",
	goImportSpec: "import_spec", goImportList: "import_spec_list", goConstDeclaration: "const_declaration",
	goConstSpec: "const_spec", goVarDeclaration: "var_declaration", goVarSpec: "var_spec", goVarList: "var_spec_list",
	goFunctionDeclaration: "function_declaration", goMethodDeclaration: "method_declaration",
	goTypeParameters: "type_parameter_list", goTypeParameter: "type_parameter_declaration",
	goConstraint: "type_constraint", goParameters: "parameter_list", goParameter: "parameter_declaration",
	goVariadicParameter: "variadic_parameter_declaration", goTypeAlias: "type_alias",
	goTypeDeclaration: "type_declaration", goTypeSpec: "type_spec", goExpressionList: "expression_list",

	goParenthesizedType: "parenthesized_type", goGenericType: "generic_type", goTypeArguments: "type_arguments",
	goPointerType: "pointer_type", goArrayType: "array_type", goImplicitArrayType: "implicit_length_array_type",
	goSliceType: "slice_type", goStructType: "struct_type", goNegatedType: "negated_type",
	goFields: "field_declaration_list", goField: "field_declaration", goInterfaceType: "interface_type",
	goMethodElem: "method_elem", goTypeElem: "type_elem", goMapType: "map_type", goChannelType: "channel_type",
	goFunctionType: "function_type", goQualifiedType: "qualified_type",

	goBlock: "block", goExpressionStatement: "expression_statement", goSendStatement: "send_statement",
	goReceiveStatement: "receive_statement", goIncStatement: "inc_statement", goDecStatement: "dec_statement",
	goAssignment: "assignment_statement", goShortVar: "short_var_declaration", goLabeledStatement: "labeled_statement",
	goFallthroughStatement: "fallthrough_statement", goBreakStatement: "break_statement",
	goContinueStatement: "continue_statement", goGotoStatement: "goto_statement", goReturnStatement: "return_statement",
	goGoStatement: "go_statement", goDeferStatement: "defer_statement", goIfStatement: "if_statement",
	goForStatement: "for_statement", goForClause: "for_clause", goRangeClause: "range_clause",
	goExpressionSwitch: "expression_switch_statement", goExpressionCase: "expression_case",
	goDefaultCase: "default_case", goTypeSwitch: "type_switch_statement", goTypeCase: "type_case",
	goSelectStatement: "select_statement", goCommunicationCase: "communication_case",

	goParenthesized: "parenthesized_expression", goCall: "call_expression", goVariadicArgument: "variadic_argument",
	goArguments: "argument_list", goSelector: "selector_expression", goIndex: "index_expression",
	goSlice: "slice_expression", goAssertion: "type_assertion_expression", goConversion: "type_conversion_expression",
	goInstantiation: "type_instantiation_expression", goComposite: "composite_literal",
	goLiteralValue: "literal_value", goLiteralElement: "literal_element", goKeyedElement: "keyed_element",
	goFuncLiteral: "func_literal", goUnary: "unary_expression", goBinary: "binary_expression",
}

// A goFieldOf is what a node is in its parent.
type goFieldOf uint8

const (
	goNoField goFieldOf = iota
	inAlias
	inAlternative
	inArguments
	inBody
	inCapacity
	inChannel
	inCommunication
	inCondition
	inConsequence
	inElement
	inEnd
	inField
	inFunction
	inIndex
	inInitializer
	inKey
	inLabel
	inLeft
	inLength
	inName
	inOperand
	inOperator
	inPackage
	inParameters
	inPath
	inReceiver
	inResult
	inRight
	inStart
	inTag
	inType
	inTypeArguments
	inTypeParameters
	inUpdate
	inValue
	goFieldCount
)

var goFieldNames = [goFieldCount]string{
	inAlias: "alias", inAlternative: "alternative", inArguments: "arguments", inBody: "body", inCapacity: "capacity",
	inChannel: "channel", inCommunication: "communication", inCondition: "condition", inConsequence: "consequence",
	inElement: "element", inEnd: "end", inField: "field", inFunction: "function", inIndex: "index",
	inInitializer: "initializer", inKey: "key", inLabel: "label", inLeft: "left", inLength: "length", inName: "name",
	inOperand: "operand", inOperator: "operator", inPackage: "package", inParameters: "parameters", inPath: "path",
	inReceiver: "receiver", inResult: "result", inRight: "right", inStart: "start", inTag: "tag", inType: "type",
	inTypeArguments: "type_arguments", inTypeParameters: "type_parameters", inUpdate: "update", inValue: "value",
}

// goSymbols are the grammar's numbers for kinds and fields.
type goSymbols struct {
	kinds  [goKinds]uint16
	fields [goFieldCount]uint8
}

// newGoSymbols looks the numbers up.
func newGoSymbols(g *glr.Grammar) (*goSymbols, error) {
	s := &goSymbols{}
	for k := goNone + 1; k < goKinds; k++ {
		if s.kinds[k] = g.Number(goKindNames[k], k >= goComment); s.kinds[k] == 0 {
			return nil, fmt.Errorf("grammar of Go: no symbol %q", goKindNames[k])
		}
	}
	for f := goNoField + 1; f < goFieldCount; f++ {
		number := slices.Index(g.Fields, goFieldNames[f])
		if number < 0 {
			return nil, fmt.Errorf("grammar of Go: no field %q", goFieldNames[f])
		}
		s.fields[f] = uint8(number)
	}
	return s, nil
}
