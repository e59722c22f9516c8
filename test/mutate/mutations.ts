import { type BinaryExpression, type CallExpression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'

/** A replacement text for a node. */
export type SourceChange = { node: Node; text: string }

/**
 * A typical programming mistake. `weight` is its relative frequency: a wrong condition or a forgotten line is more
 * common than a wrong word.
 */
type FaultKind = { name: string; weight: number; of: (node: Node) => readonly SourceChange[] }

const operatorReplacements: Partial<Record<SyntaxKind, string>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
}

/** Calls that can be removed from a chain. */
const removableCalls = new Set(
  'filter flat int lowercase max min nonnegative normalize replace replaceAll reverse slice sort strict toLowerCase toReversed toSorted toUpperCase trim trimEnd trimStart'.split(
    ' ',
  ),
)
const methodReplacements: Record<string, string> = {
  every: 'some',
  some: 'every',
  max: 'min',
  min: 'max',
  ceil: 'floor',
  floor: 'ceil',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  at: 'indexOf',
}

function mutateOperator({ operatorToken }: BinaryExpression): SourceChange[] {
  const text = operatorReplacements[operatorToken.kind]
  return text ? [{ node: operatorToken, text }] : []
}

function mutateMethod(call: CallExpression): SourceChange[] {
  if (!is.isPropertyAccessExpression(call.expression)) return []
  const { name, expression } = call.expression
  const otherMethod = Object.hasOwn(methodReplacements, name.text) ? methodReplacements[name.text] : undefined
  const isLibraryCall = ['Math', 'z'].includes(expression.getText())
  // Math.min becomes Math.max, but a schema loses its min().
  if (otherMethod && (isLibraryCall || !removableCalls.has(name.text)))
    return [{ node: name, text: otherMethod }]
  return removableCalls.has(name.text) && !isLibraryCall ? [{ node: call, text: expression.getText() }] : []
}

/** Drops the last argument if it is probably optional: an options object, a flag or a number. */
function dropLastArgument({ arguments: args }: CallExpression): SourceChange[] {
  const lastArgument = args.at(-1)
  if (!lastArgument || args.length < 2) return []
  const canBeOmitted =
    is.isObjectLiteralExpression(lastArgument) || isFlag(lastArgument) || is.isNumericLiteral(lastArgument)
  return canBeOmitted ? [{ node: lastArgument, text: '...[]' }] : []
}

const isFlag = (node: Node) => node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword

const isStatement = (node: Node) =>
  is.isExpressionStatement(node) ||
  is.isThrowStatement(node) ||
  is.isContinueStatement(node) ||
  (is.isBreakStatement(node) && !is.isCaseClause(node.parent)) ||
  (is.isReturnStatement(node) && !node.expression)

function mutateNumber(text: string): string {
  const value = Number(text.replaceAll('_', ''))
  return Math.abs(value) < 10 ? String(value + 1) : String(value * 10)
}

const negate = (node: Node): SourceChange => ({ node, text: `!(${node.getText()})` })

function mutateRegularExpression(text: string): string | undefined {
  if (/\/\w*i\w*$/.test(text)) return text.replace(/i(\w*)$/, '$1')
  if (text.startsWith('/^')) return `/${text.slice(2)}`
  return /\$\/\w*$/.test(text) ? text.replace(/\$(\/\w*)$/, '$1') : undefined
}

/** Returns whether a string is a single word, such as a code. Sentences are not mutated: tests ignore their wording. */
const isWord = (text: string) => text.length > 0 && !/\s/.test(text)

export const faults: readonly FaultKind[] = [
  {
    name: 'condition negated',
    weight: 3,
    of: (node) => {
      if (is.isIfStatement(node) || is.isWhileStatement(node)) return [negate(node.expression)]
      if (is.isConditionalExpression(node)) return [negate(node.condition)]
      const isNegation = is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken
      return isNegation ? [{ node, text: `Boolean(${node.operand.getText()})` }] : []
    },
  },
  { name: 'operator', weight: 3, of: (node) => (is.isBinaryExpression(node) ? mutateOperator(node) : []) },
  {
    name: 'default dropped',
    weight: 2,
    of: (node) =>
      is.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.QuestionQuestionToken
        ? [{ node, text: `(${node.left.getText()})` }]
        : [],
  },
  { name: 'statement removed', weight: 4, of: (node) => (isStatement(node) ? [{ node, text: '{}' }] : []) },
  { name: 'method', weight: 3, of: (node) => (is.isCallExpression(node) ? mutateMethod(node) : []) },
  {
    name: 'argument dropped',
    weight: 2,
    of: (node) => (is.isCallExpression(node) ? dropLastArgument(node) : []),
  },
  {
    name: 'element dropped',
    weight: 1,
    of: (node) =>
      is.isArrayLiteralExpression(node) ? node.elements.map((each) => ({ node: each, text: '...[]' })) : [],
  },
  {
    name: 'property dropped',
    weight: 1,
    of: (node) =>
      is.isObjectLiteralExpression(node)
        ? node.properties.map((each) => ({ node: each, text: '...{}' }))
        : [],
  },
  {
    name: 'flag turned',
    weight: 2,
    of: (node) => (isFlag(node) ? [{ node, text: String(node.kind !== SyntaxKind.TrueKeyword) }] : []),
  },
  {
    name: 'number',
    weight: 1,
    of: (node) => (is.isNumericLiteral(node) ? [{ node, text: mutateNumber(node.text) }] : []),
  },
  {
    name: 'word',
    weight: 0.3,
    of: (node) => (is.isStringLiteral(node) && isWord(node.text) ? [{ node, text: "'odd'" }] : []),
  },
  {
    name: 'regular expression',
    weight: 1,
    of: (node) => {
      const text = is.isRegularExpressionLiteral(node) ? mutateRegularExpression(node.getText()) : undefined
      return text ? [{ node, text }] : []
    },
  },
]

/** Returns whether a node is never mutated: types, imports, log calls, documentation. */
export function isIgnored(node: Node): boolean {
  if (is.isImportDeclaration(node) || is.isExportDeclaration(node)) return true
  if (is.isTypeNode(node) || is.isTypeAliasDeclaration(node) || is.isInterfaceDeclaration(node)) return true
  // A property key.
  if (is.isStringLiteral(node) && is.isPropertyAssignment(node.parent)) return node.parent.name === node
  const call = is.isExpressionStatement(node) ? node.expression : node
  return (
    is.isCallExpression(call) && /\blog(\.\w+|\[.*\])$|\.(describe|meta)$/.test(call.expression.getText())
  )
}
