// Creates the input of a target: the event, a part of it, a constant, or a filled template.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
import { createValidationError } from './errors.ts'
import { isJson } from './json.ts'

interface InputOptions {
  readonly Id: string
  readonly Input?: string | undefined
  readonly InputPath?: string | undefined
  readonly InputTransformer?:
    | {
        readonly InputPathsMap?: Readonly<Record<string, string>> | undefined
        readonly InputTemplate: string
      }
    | undefined
}

export interface RuleEvent {
  /** The event as the target gets it without a transformation. */
  readonly json: string
  readonly value: Readonly<Record<string, unknown>>
}

const placeholderPattern = /<([^<>\s"]+)>/g

export function checkInput(target: InputOptions): void {
  const { Id, Input, InputPath, InputTransformer } = target
  if ([Input, InputPath, InputTransformer].filter((input) => input !== undefined).length > 1)
    throw createValidationError(
      `Only one of Input, InputPath, or InputTransformer must be provided for target ${Id}.`,
    )
  if (Input !== undefined && !isJson(Input))
    throw createValidationError(`JSON syntax error in input for target ${Id}`)
  if (InputPath !== undefined && !readPath(InputPath))
    throw createValidationError(`Invalid InputPath for target ${Id}.`)
  if (!InputTransformer) return
  const paths = InputTransformer.InputPathsMap ?? {}
  for (const [name, path] of Object.entries(paths)) {
    if (name.startsWith('aws.'))
      throw createValidationError(`InputPathsMap for target ${Id} contains reserved key ${name}.`)
    if (!readPath(path)) throw createValidationError(`Invalid InputPathsMap for target ${Id}: ${path}`)
  }
  for (const [, name = ''] of InputTransformer.InputTemplate.matchAll(placeholderPattern))
    if (!Object.hasOwn(paths, name) && !predefinedVariables.includes(name))
      throw createValidationError(`InputTemplate for target ${Id} contains invalid placeholder ${name}.`)
}

const predefinedVariables: readonly string[] = [
  'aws.events.rule-arn',
  'aws.events.rule-name',
  'aws.events.event.ingestion-time',
  'aws.events.event',
  'aws.events.event.json',
]

export function buildTargetInput(
  target: InputOptions,
  event: RuleEvent,
  rule: { readonly name: string; readonly arn: string; readonly ingestedAt: string },
): string {
  if (target.Input !== undefined) return target.Input
  if (target.InputPath !== undefined)
    return JSON.stringify(getValueAtPath(target.InputPath, event.value) ?? null)
  if (!target.InputTransformer) return event.json
  const { InputPathsMap = {}, InputTemplate } = target.InputTransformer
  const { detail: _, 'detail-type': detailType, ...envelope } = event.value
  const values = new Map<string, unknown>([
    ['aws.events.rule-arn', rule.arn],
    ['aws.events.rule-name', rule.name],
    ['aws.events.event.ingestion-time', rule.ingestedAt],
    ['aws.events.event', { ...envelope, detailType }],
    ['aws.events.event.json', new Verbatim(event.json)],
  ])
  for (const [name, path] of Object.entries(InputPathsMap))
    values.set(name, getValueAtPath(path, event.value))
  return fillTemplate(InputTemplate, values)
}

/** JSON that is passed on unchanged. */
class Verbatim {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/**
 * Fills a template. A variable outside quotes becomes a JSON value, a variable inside quotes becomes text. If the event
 * lacks the value, both become an empty string.
 */
function fillTemplate(template: string, values: ReadonlyMap<string, unknown>): string {
  let isQuoted = false
  let from = 0
  return template.replace(placeholderPattern, (_, name: string, at: number) => {
    isQuoted = endsQuoted(template.slice(from, at), isQuoted)
    from = at + name.length + 2
    const value = values.get(name) ?? ''
    const json = value instanceof Verbatim ? value.json : JSON.stringify(value)
    if (!isQuoted) return json
    return typeof value === 'string' ? json.slice(1, -1) : JSON.stringify(json).slice(1, -1)
  })
}

/** Returns true if a JSON string is still open at the end of a piece of a template. */
function endsQuoted(piece: string, wasQuoted: boolean): boolean {
  const quoteCount = piece.replace(/\\./g, '').split('"').length - 1
  return wasQuoted !== (quoteCount % 2 === 1)
}

type PathStep = string | number | typeof wildcard
const wildcard = Symbol('*')

/** Parses the subset of JSONPath that EventBridge supports: `$.detail.list[0].name`, `$.detail.list[*].name`. */
function readPath(path: string): PathStep[] | undefined {
  if (!/^\$((\.[\w/-]+|\.\*)(\[(\d+|\*)\])*)*$/.test(path)) return undefined
  return [...path.matchAll(/\.([\w/-]+|\*)|\[(\d+|\*)\]/g)].map(([, key, index]) => {
    if (key === '*' || index === '*') return wildcard
    return index === undefined ? (key ?? '') : Number(index)
  })
}

function getValueAtPath(path: string, event: unknown): unknown {
  let values: unknown[] = [event]
  const steps = readPath(path) ?? []
  for (const step of steps) {
    values = values.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return []
      if (step === wildcard) return Object.values(value)
      if (Array.isArray(value) !== (typeof step === 'number') || !Object.hasOwn(value, step)) return []
      return [Reflect.get(value, step)]
    })
  }
  return steps.includes(wildcard) ? values : values[0]
}
