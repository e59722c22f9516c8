/** What a write does to a record, and when it may, as data; DynamoDB's expressions are made of it here and nowhere else. */

type Values = Readonly<Record<string, unknown>>

/** Names are attributes; a dot leads into a map, as in `running.7`. */
export interface Change {
  readonly set?: Values
  /** Stays as it is where it is there already. */
  readonly setOnce?: Values
  /** The value of another attribute plus a number, as it was before this write. */
  readonly setPlus?: Readonly<Record<string, readonly [attribute: string, plus: number]>>
  /** Numbers that are added to what is there, or to nothing. Names are taken as they stand, dots and spaces included. */
  readonly add?: Readonly<Record<string, number>>
  readonly remove?: readonly string[]
  /** Strings that join a set. */
  readonly collect?: Readonly<Record<string, ReadonlySet<string>>>
  /** Numbers that join a set. */
  readonly include?: Readonly<Record<string, ReadonlySet<number>>>
  /** Numbers that leave a set; a set that is empty is gone. */
  readonly exclude?: Readonly<Record<string, ReadonlySet<number>>>
}

export interface Condition {
  /** Whether there is such a record. */
  readonly exists?: boolean
  readonly equal?: Values
  readonly oneOf?: Readonly<Record<string, readonly unknown[]>>
  readonly absent?: readonly string[]
  readonly present?: readonly string[]
  /** Absent or below. */
  readonly below?: Readonly<Record<string, number>>
  /** Sets that have none of these. */
  readonly lacks?: Readonly<Record<string, ReadonlySet<string>>>
  /** More, or later. */
  readonly after?: Readonly<Record<string, number | string>>
  /** At most. */
  readonly until?: Readonly<Record<string, string>>
  /** At least one of these as well. */
  readonly either?: readonly Condition[]
}

export interface Expressions {
  UpdateExpression?: string
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

export function createExpressions(change: Change, condition?: Condition): Expressions {
  const placeholders = new PlaceholderMap()
  const update = updateExpression(change, placeholders)
  const only = condition && conditionExpression(condition, placeholders)
  return {
    ...(update && { UpdateExpression: update }),
    ...(only && { ConditionExpression: only }),
    ...(placeholders.names.size > 0 && { ExpressionAttributeNames: Object.fromEntries(placeholders.names) }),
    ...(placeholders.values.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        placeholders.values.map((value, at) => [`:${at}`, value]),
      ),
    }),
  }
}

/** Names and values stand beside an expression, never in it. */
class PlaceholderMap {
  readonly names = new Map<string, string>()
  readonly values: unknown[] = []

  /** Elements of lists have no name here: lists are written as a whole, as the embedded table mistakes their indexes. */
  name(path: string): string {
    if (/[[\]]/.test(path)) throw new Error(`a list is written as a whole, not as "${path}"`)
    return path
      .split('.')
      .map((part) => {
        const placeholder = this.#placeholderOf(part)
        this.names.set(placeholder, part)
        return placeholder
      })
      .join('.')
  }

  /** Readable, in ASCII (on others the embedded table hangs up), and of this name alone. */
  #placeholderOf(name: string): string {
    let placeholder = `#${name.replace(/\W/g, '_')}`
    while ((this.names.get(placeholder) ?? name) !== name) placeholder += '_'
    return placeholder
  }

  /** Of an attribute of the record itself, whatever its name is made of. */
  plainName(name: string): string {
    const placeholder = `#plain${this.names.size}`
    this.names.set(placeholder, name)
    return placeholder
  }

  value(value: unknown): string {
    this.values.push(value)
    return `:${this.values.length - 1}`
  }
}

function updateExpression(change: Change, placeholders: PlaceholderMap): string {
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
  const defined = Object.entries(set).filter(([, value]) => value !== undefined)
  const sets = [
    ...defined.map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`),
    ...Object.entries(setOnce).map(
      ([name, value]) =>
        `${placeholders.name(name)} = if_not_exists(${placeholders.name(name)}, ${placeholders.value(value)})`,
    ),
    ...Object.entries(setPlus).map(
      ([name, [from, plus]]) =>
        `${placeholders.name(name)} = ${placeholders.name(from)} + ${placeholders.value(plus)}`,
    ),
  ]
  const numbers = (of: Readonly<Record<string, ReadonlySet<number>>>) =>
    Object.entries(of).map(([name, value]) => `${placeholders.name(name)} ${placeholders.value(value)}`)
  const sums = Object.entries(add).map(
    ([name, value]) => `${placeholders.plainName(name)} ${placeholders.value(value)}`,
  )
  const strings = Object.entries(collect).map(
    ([name, value]) => `${placeholders.name(name)} ${placeholders.value(value)}`,
  )
  const clauses = [
    ['SET', sets],
    ['REMOVE', remove.map((name) => placeholders.name(name))],
    ['ADD', [...numbers(include), ...sums, ...strings]],
    ['DELETE', numbers(exclude)],
  ] as const
  return clauses
    .filter(([, parts]) => parts.length > 0)
    .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
    .join(' ')
}

function conditionExpression(condition: Condition, placeholders: PlaceholderMap): string {
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
  const parts = [
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
    parts.push(`(${either.map((one) => `(${conditionExpression(one, placeholders)})`).join(' OR ')})`)
  return parts.join(' AND ')
}
