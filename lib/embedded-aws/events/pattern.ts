// Parses the event pattern language into tests on the leaves of an event.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
import { isIP } from 'node:net'
import { createCidrMatcher } from './cidr.ts'
import { createInvalidPatternError as bad } from './errors.ts'
import type { Leaf } from './flatten-event.ts'
import { createWildcardMatcher } from './wildcard.ts'

/** The leaf's value is undefined if the event does not have the path. */
type LeafTest = (value: Leaf | undefined) => boolean

/** All conditions of a pattern must hold; `either` holds when one of its alternatives does. */
export type PatternCondition =
  | { readonly path: string; readonly test: LeafTest }
  | { readonly either: readonly (readonly PatternCondition[])[] }

export function readPattern(text: string): PatternCondition[] {
  let pattern: unknown
  try {
    pattern = JSON.parse(text)
  } catch (error) {
    throw bad(error instanceof Error ? error.message : 'it is not JSON')
  }
  if (!isObject(pattern)) throw bad('Filter is not an object')
  return readObject(pattern, '')
}

/** Names that event-ruler reserves: if an alternative contains one of them, `$or` is a plain field. */
const reservedNames = new Set([
  ...['exactly', 'equals-ignore-case', 'prefix', 'suffix', 'anything-but', 'exists', 'wildcard', 'numeric'],
  ...['cidr', '=', '<', '<=', '>', '>=', 'regex', 'not-wildcard', 'not-equals-ignore-case'],
  ...['date-after', 'date-on-or-after', 'date-before', 'date-on-or-before', 'in-date-range'],
  ...['ip-address-in-range', 'ip-address-not-in-range'],
])

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readObject(pattern: JsonObject, prefix: string): PatternCondition[] {
  const members = Object.entries(pattern)
  if (members.length === 0) throw bad('Empty objects are not allowed')
  return members.flatMap(([key, value]): PatternCondition[] => {
    if (key === '$or' && isAlternatives(value))
      return [{ either: value.map((alternative) => readObject(alternative, prefix)) }]
    const path = prefix + key
    if (isObject(value)) return readObject(value, `${path}.`)
    if (!Array.isArray(value)) throw bad(`"${key}" must be an object or an array`)
    if (value.length === 0) throw bad('Empty arrays are not allowed')
    const tests = value.map(readValue)
    return [{ path, test: (leaf) => tests.some((test) => test(leaf)) }]
  })
}

/** Whether `$or` contains alternatives: a list of at least two patterns; otherwise `$or` is a plain field name. */
const isAlternatives = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) &&
  value.length > 1 &&
  value.every((item) => isObject(item) && !containsReservedName(item))

const containsReservedName = (value: JsonObject): boolean =>
  Object.entries(value).some(
    ([key, one]) => reservedNames.has(key) || (isObject(one) && containsReservedName(one)),
  )

function readValue(value: unknown): LeafTest {
  if (typeof value === 'number' && !Number.isFinite(value)) throw bad('Value must be a number')
  if (value === null || typeof value !== 'object') return (leaf) => leaf === value
  if (Array.isArray(value)) throw bad('Match value must be String, number, true, false, or null')
  const [member, ...moreMembers] = Object.entries(value)
  if (!member) throw bad('Empty objects are not allowed')
  const [name, operand] = member
  if (!Object.hasOwn(matchers, name)) throw bad(`Unrecognized match type ${name}`)
  if (moreMembers.length > 0) throw bad('Only one key allowed in match expression')
  return matchers[name as keyof typeof matchers](operand) // checked by hasOwn
}

const createStringTest =
  (test: (value: string) => boolean): LeafTest =>
  (leaf) =>
    typeof leaf === 'string' && test(leaf)
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

function requireString(operand: unknown, name: string): string {
  if (typeof operand !== 'string') throw bad(`${name} match pattern must be a string`)
  return operand
}

/** Creates the test of `prefix` or `suffix`, whose operand is a string or `{"equals-ignore-case": string}`. */
function createEdgeReader(name: 'prefix' | 'suffix', cut: (value: string, length: number) => string) {
  return (operand: unknown): LeafTest => {
    if (isObject(operand)) {
      const [member, ...moreMembers] = Object.entries(operand)
      if (!member) throw bad(`${name} expression name not found`)
      if (member[0] !== 'equals-ignore-case') throw bad(`Unsupported ${name} pattern: ${member[0]}`)
      const anyCaseText = requireString(member[1], 'equals-ignore-case')
      if (moreMembers.length > 0) throw bad('Only one key allowed in match expression')
      return createStringTest((value) => isSame(cut(value, anyCaseText.length), anyCaseText))
    }
    const exactText = requireString(operand, name)
    return createStringTest((value) => cut(value, exactText.length) === exactText)
  }
}

const head = (value: string, length: number) => value.slice(0, length)
const tail = (value: string, length: number) => (length === 0 ? '' : value.slice(-length))

const matchers = {
  prefix: createEdgeReader('prefix', head),
  suffix: createEdgeReader('suffix', tail),
  'equals-ignore-case': (operand: unknown) => {
    const anyCaseText = requireString(operand, 'equals-ignore-case')
    return createStringTest((value) => isSame(value, anyCaseText))
  },
  wildcard: (operand: unknown) => createStringTest(createWildcardMatcher(requireString(operand, 'wildcard'))),
  exists: (operand: unknown): LeafTest => {
    if (typeof operand !== 'boolean') throw bad('exists match pattern must be either true or false.')
    return (leaf) => (leaf !== undefined) === operand
  },
  cidr: (operand: unknown) => {
    const inRange = createCidrMatcher(requireString(operand, 'prefix'))
    return createStringTest((value) => isIP(value) !== 0 && inRange(value))
  },
  numeric: (operand: unknown) => numeric(operand),
  'anything-but': (operand: unknown) => readAnythingBut(operand),
}

const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ['=', (a, b) => a === b],
  ['<', (a, b) => a < b],
  ['<=', (a, b) => a <= b],
  ['>', (a, b) => a > b],
  ['>=', (a, b) => a >= b],
])

const maxNumber = 5e9
const maxDecimals = 6

/** Validates a number for a comparison. */
function requireComparable(value: number): number {
  if (Math.abs(value) > maxNumber) throw bad(`Value must be between -5.0E9 and 5.0E9, inclusive: ${value}`)
  const [, decimals = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (decimals.length - Number(exponent) > maxDecimals)
    throw bad(`Only values upto ${maxDecimals} decimals are supported: ${value}`)
  return value
}

/** Parses one comparison, or a lower bound followed by an upper bound: `[">", 0, "<=", 5]`. */
function numeric(operand: unknown): LeafTest {
  if (!Array.isArray(operand)) throw bad('Value of numeric must be an array.')
  if (operand.length === 0) throw bad('Invalid member in numeric match: ]')
  const checks: ((value: number) => boolean)[] = []
  const bounds: number[] = []
  for (let at = 0; at < operand.length; at += 2) {
    const [operator, bound]: unknown[] = operand.slice(at, at + 2)
    if (typeof operator !== 'string') throw bad(`Invalid member in numeric match: ${operator}`)
    const compare = comparisons.get(operator)
    if (!compare) throw bad(`Unrecognized numeric range operator: ${operator}`)
    if (at > 0 && !(String(operand[0]).startsWith('>') && operator.startsWith('<')))
      throw bad(`Bad numeric range operator: ${operator}`)
    if (typeof bound !== 'number') throw bad(`Value of ${operator} must be numeric`)
    bounds.push(requireComparable(bound))
    checks.push((value) => compare(value, bound))
  }
  if (checks.length > 2) throw bad('Too many terms in numeric range')
  const [firstBound = 0, secondBound = maxNumber] = bounds
  const [low, high] = String(operand[0]).startsWith('<')
    ? [-maxNumber, firstBound]
    : [firstBound, secondBound]
  if (operand[0] !== '=' && low >= high) throw bad('Bottom must be less than top')
  return (leaf) => typeof leaf === 'number' && checks.every((check) => check(leaf))
}

const readAnythingButText =
  (name: string, reason: string, test: (wantedText: string) => (value: string) => boolean) =>
  (operand: unknown) => {
    const wantedTexts = Array.isArray(operand) ? operand : [operand]
    if (wantedTexts.length === 0) throw bad('Empty arrays are not allowed')
    return wantedTexts.map((wantedText: unknown) => {
      if (isObject(wantedText))
        throw bad('Value of anything-but must be an array or single string/number value.')
      if (typeof wantedText !== 'string') throw bad(reason)
      if (wantedText === '' && name !== 'wildcard' && name !== 'equals-ignore-case')
        throw bad('Null prefix/suffix not allowed')
      return createStringTest(test(wantedText))
    })
  }

const edgeReason = 'prefix/suffix match pattern must be a string'
const foldReason = 'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.'

const excludedValueReaders: Readonly<Record<string, (operand: unknown) => LeafTest[]>> = {
  prefix: readAnythingButText('prefix', edgeReason, (wanted) => (value) => value.startsWith(wanted)),
  suffix: readAnythingButText('suffix', edgeReason, (wanted) => (value) => value.endsWith(wanted)),
  'equals-ignore-case': readAnythingButText(
    'equals-ignore-case',
    foldReason,
    (wanted) => (value) => isSame(value, wanted),
  ),
  wildcard: readAnythingButText('wildcard', 'wildcard match pattern must be a string', createWildcardMatcher),
}

function readExcludedValues(operand: unknown): readonly unknown[] {
  const values: unknown[] = Array.isArray(operand) ? operand : [operand]
  if (values.length === 0) throw bad('Empty arrays are not allowed')
  if (values.some((value) => typeof value !== 'string' && typeof value !== 'number'))
    throw bad(
      Array.isArray(operand)
        ? 'Inside anything but list, start|null|boolean is not supported.'
        : 'Value of anything-but must be an array or single string/number value.',
    )
  if (values.some((value) => typeof value !== typeof values[0]))
    throw bad('Inside anything but list, either all values are number or string, mixed type is not supported')
  for (const value of values) if (typeof value === 'number') requireComparable(value)
  return values
}

/** Creates a test for a value that exists and is not in the list. */
function readAnythingBut(operand: unknown): LeafTest {
  let excludedTests: LeafTest[]
  if (isObject(operand)) {
    const [member, ...moreMembers] = Object.entries(operand)
    const read =
      member && Object.hasOwn(excludedValueReaders, member[0]) ? excludedValueReaders[member[0]] : undefined
    if (!read) throw bad(`Unsupported anything-but pattern: ${member?.[0] ?? ''}`)
    if (moreMembers.length > 0) throw bad('Only one key allowed in match expression')
    excludedTests = read(member?.[1])
  } else {
    excludedTests = readExcludedValues(operand).map((value) => (leaf) => leaf === value)
  }
  return (leaf) => leaf !== undefined && !excludedTests.some((test) => test(leaf))
}
