/** Changes and conditions of writes as data; the only place that builds DynamoDB expressions. */

type Values = Readonly<Record<string, unknown>>

/** Changes of a record, by attribute name; a dot addresses a map entry, as in `running.7`. */
export interface Change {
  readonly set?: Values
  /** Values that are set only if the attribute does not exist. */
  readonly setOnce?: Values
  /** Attributes set to the previous value of an attribute plus a number. */
  readonly setPlus?: Readonly<Record<string, readonly [attribute: string, plus: number]>>
  /**
   * Numbers added to attributes; a missing attribute counts as 0. Names are literal and may contain dots and spaces.
   */
  readonly add?: Readonly<Record<string, number>>
  readonly remove?: readonly string[]
  /** Strings added to sets. */
  readonly collect?: Readonly<Record<string, ReadonlySet<string>>>
  /** Numbers added to sets. */
  readonly include?: Readonly<Record<string, ReadonlySet<number>>>
  /** Numbers removed from sets; DynamoDB removes a set that becomes empty. */
  readonly exclude?: Readonly<Record<string, ReadonlySet<number>>>
}

export interface Condition {
  /** Whether the record must exist. */
  readonly exists?: boolean
  readonly equal?: Values
  readonly oneOf?: Readonly<Record<string, readonly unknown[]>>
  readonly absent?: readonly string[]
  readonly present?: readonly string[]
  /** Attributes that must be absent or less than the value. */
  readonly below?: Readonly<Record<string, number>>
  /** Attributes that are sets and must not contain any of these values. */
  readonly lacks?: Readonly<Record<string, ReadonlySet<string>>>
  /** Attributes that must be greater than the value. */
  readonly after?: Readonly<Record<string, number | string>>
  /** Attributes that must be less than or equal to the value. */
  readonly until?: Readonly<Record<string, string>>
  /** Alternative conditions: at least one of them must hold, in addition to the conditions above. */
  readonly either?: readonly Condition[]
}

interface Expressions {
  UpdateExpression?: string
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

export function createExpressions(change: Change, condition?: Condition): Expressions {
  const placeholders = new PlaceholderMap()
  const update = createUpdateExpression(change, placeholders)
  const conditionText = condition && createConditionExpression(condition, placeholders)
  return {
    ...(update && { UpdateExpression: update }),
    ...(conditionText && { ConditionExpression: conditionText }),
    ...(placeholders.names.size > 0 && { ExpressionAttributeNames: Object.fromEntries(placeholders.names) }),
    ...(placeholders.values.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        placeholders.values.map((value, at) => [`:${at}`, value]),
      ),
    }),
  }
}

/** Maps names and values to placeholders: they are passed separately and never written into an expression. */
class PlaceholderMap {
  readonly names = new Map<string, string>()
  readonly values: unknown[] = []

  /** List elements cannot be addressed: lists are written as a whole, because the embedded table mishandles indexes. */
  name(path: string): string {
    if (/[[\]]/.test(path)) throw new Error(`lists have to be written as a whole, not as "${path}"`)
    return path
      .split('.')
      .map((part) => {
        const placeholder = this.#getPlaceholder(part)
        this.names.set(placeholder, part)
        return placeholder
      })
      .join('.')
  }

  /**
   * Returns a placeholder that is readable, unique, and ASCII only, because the embedded table hangs on other
   * characters.
   */
  #getPlaceholder(name: string): string {
    let placeholder = `#${name.replace(/\W/g, '_')}`
    while ((this.names.get(placeholder) ?? name) !== name) placeholder += '_'
    return placeholder
  }

  /** Returns a placeholder for a top-level attribute, whose name may contain any characters. */
  getReadableName(name: string): string {
    const placeholder = `#plain${this.names.size}`
    this.names.set(placeholder, name)
    return placeholder
  }

  value(value: unknown): string {
    this.values.push(value)
    return `:${this.values.length - 1}`
  }
}

function createUpdateExpression(change: Change, placeholders: PlaceholderMap): string {
  const {
    set = {},
    setOnce = {},
    setPlus = {},
    remove = [],
    add = {},
    collect = {},
    include = {},
    exclude = {},
  } = change
  const definedEntries = Object.entries(set).filter(([, value]) => value !== undefined)
  const setActions = [
    ...definedEntries.map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`),
    ...Object.entries(setOnce).map(
      ([name, value]) =>
        `${placeholders.name(name)} = if_not_exists(${placeholders.name(name)}, ${placeholders.value(value)})`,
    ),
    ...Object.entries(setPlus).map(
      ([name, [from, plus]]) =>
        `${placeholders.name(name)} = ${placeholders.name(from)} + ${placeholders.value(plus)}`,
    ),
  ]
  const createNumberSetActions = (of: Readonly<Record<string, ReadonlySet<number>>>) =>
    Object.entries(of).map(([name, value]) => `${placeholders.name(name)} ${placeholders.value(value)}`)
  const addActions = Object.entries(add).map(
    ([name, value]) => `${placeholders.getReadableName(name)} ${placeholders.value(value)}`,
  )
  const collectActions = Object.entries(collect).map(
    ([name, value]) => `${placeholders.name(name)} ${placeholders.value(value)}`,
  )
  const clauses = [
    ['SET', setActions],
    ['REMOVE', remove.map((name) => placeholders.name(name))],
    ['ADD', [...createNumberSetActions(include), ...addActions, ...collectActions]],
    ['DELETE', createNumberSetActions(exclude)],
  ] as const
  return clauses
    .filter(([, actions]) => actions.length > 0)
    .map(([verb, actions]) => `${verb} ${actions.join(', ')}`)
    .join(' ')
}

function createConditionExpression(condition: Condition, placeholders: PlaceholderMap): string {
  const {
    exists,
    equal = {},
    oneOf = {},
    absent = [],
    present = [],
    below = {},
    lacks = {},
    after = {},
    until = {},
    either = [],
  } = condition
  const clauses = [
    ...(exists === undefined ? [] : [`attribute_${exists ? '' : 'not_'}exists(pk)`]),
    ...Object.entries(equal).map(
      ([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`,
    ),
    ...Object.entries(oneOf).map(
      ([name, values]) =>
        `${placeholders.name(name)} IN (${values.map((value) => placeholders.value(value)).join(', ')})`,
    ),
    ...present.map((name) => `attribute_exists(${placeholders.name(name)})`),
    ...absent.map((name) => `attribute_not_exists(${placeholders.name(name)})`),
    ...Object.entries(below).map(([name, value]) => {
      const path = placeholders.name(name)
      return `(attribute_not_exists(${path}) OR ${path} < ${placeholders.value(value)})`
    }),
    ...Object.entries(lacks).flatMap(([name, values]) =>
      [...values].map((value) => `NOT contains(${placeholders.name(name)}, ${placeholders.value(value)})`),
    ),
    ...Object.entries(after).map(
      ([name, value]) => `${placeholders.name(name)} > ${placeholders.value(value)}`,
    ),
    ...Object.entries(until).map(
      ([name, value]) => `${placeholders.name(name)} <= ${placeholders.value(value)}`,
    ),
  ]
  if (either.length > 0)
    clauses.push(`(${either.map((one) => `(${createConditionExpression(one, placeholders)})`).join(' OR ')})`)
  return clauses.join(' AND ')
}
