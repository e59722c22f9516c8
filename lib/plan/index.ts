import * as z from 'zod'
import type { Engine, EngineId, ImageId, Operation } from '../engines/engine.ts'
import { unlockEngine, unlockOptionShape } from '../engines/libreoffice/unlock-options.ts'
import { isInputOption } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { Trait } from '../formats/detect/drawing.ts'
import { type FormatId, formatById, formats } from '../formats/index.ts'
import { isLockable } from '../formats/locked-office.ts'
import type { ConversionStep } from '../jobs/job.ts'
import { buildEdges, type Edge, type Edges, withoutUnsuitableEdges } from './edges.ts'
import { findOtherRoute, type OtherRouteRequest } from './fallback-search.ts'
import { isListedTarget, isWorthSeveralSteps, rankOf } from './listed-targets.ts'
import { type Route, routesFrom } from './search.ts'
import unprovenPairs from './unproven-pairs.json' with { type: 'json' }

export type { Edge } from './edges.ts'
export type { UnreadableSteps as Unread } from './fallback-search.ts'
export type { Route } from './search.ts'

export interface RouteRequest {
  readonly from: FormatId
  readonly to: FormatId
  readonly operation?: Operation
  /** Pins the engine that makes the target; it also does the steps before where it can. */
  readonly engine?: EngineId | undefined
  readonly engines: readonly Engine[]
  /** Of the file that is to be converted. */
  readonly traits?: readonly Trait[] | undefined
}

export interface Conversion {
  readonly from: FormatId
  readonly to: FormatId
  readonly route: Route
}

/**
 * The cheapest route of one to three steps.
 * @throws AppError UNSUPPORTED_CONVERSION; its details name the engines that can, where one was pinned.
 */
export function planRoute({
  from,
  to,
  operation = 'convert',
  engine,
  engines,
  traits = [],
}: RouteRequest): Route {
  const plans = plansOf(engines, operation)
  const route = plans.from(from, engine).get(to)
  // Who names an engine gets it, and a drawing that nobody here does justice to is drawn as well as can be. What is made
  // of no other drawing is made of none.
  const hasTraits = route && engine === undefined && traits.length > 0
  const traitsRoute = hasTraits ? plans.fromWithTraits(from, traits).get(to) : undefined
  if (route) return traitsRoute ?? route
  const pair = `${formatById(from).name} (${from}) to ${formatById(to).name} (${to})`
  if (operation !== 'convert') throw unsupportedOperationError(operation, from, to, engines)
  if (engine === undefined) {
    throw new AppError('UNSUPPORTED_CONVERSION', `There is no way to convert ${pair}.`, {
      from,
      to,
      targets: listTargets(from, engines),
    })
  }
  const capableEngines = engines.map(({ id }) => id).filter((id) => plans.from(from, id).has(to))
  const hint =
    capableEngines.length > 0
      ? `Leave "engine" out or use one of: ${capableEngines.join(', ')}.`
      : 'No other engine can.'
  throw new AppError('UNSUPPORTED_CONVERSION', `The engine ${engine} cannot convert ${pair}. ${hint}`, {
    from,
    to,
    engine,
    engines: capableEngines,
  })
}

/** The cheapest route that reads the file otherwise than those that could not; undefined when there is none. */
export function planOtherRoute(
  request: OtherRouteRequest & Pick<RouteRequest, 'operation' | 'engines'>,
): Route | undefined {
  const { operation = 'convert', engines } = request
  return plansOf(engines, operation).findOther(request)
}

/** Formats that an error lists; the rest is in GET /v1/formats/conversions. */
const maxListed = 40

const formatList = (formats: readonly FormatId[]) =>
  formats.length <= maxListed
    ? formats.join(', ')
    : `${formats.slice(0, maxListed).join(', ')} and ${formats.length - maxListed} more`

function unsupportedOperationError(
  operation: Operation,
  from: FormatId,
  to: FormatId,
  engines: readonly Engine[],
): AppError {
  const rows = engines.flatMap(({ capabilities }) =>
    capabilities.filter((row) => row.operation === operation),
  )
  const sources = [...new Set(rows.flatMap((row) => row.from))]
  const targets = [...plansOf(engines, operation).from(from).keys()]
  const sentence =
    targets.length > 0
      ? `${operation} makes ${targets.join(', ')} of ${from}, not ${to}.`
      : `${operation} takes ${formatList(sources) || 'nothing on this machine'}; the file is ${from}.`
  const details = { operation, from, to, targets, ...(sources.length <= maxListed && { sources }) }
  return new AppError('UNSUPPORTED_CONVERSION', sentence, details)
}

/**
 * What people want a file of this format to become: its own category and the most wanted first, then as the registry
 * orders it, and never itself. `conversions` has all that works.
 */
export function listTargets(from: FormatId, engines: readonly Engine[]): FormatId[] {
  return listTargetsAmong(from, new Set(plansOf(engines, 'convert').from(from).keys()))
}

/** Those of the formats that it can become, as `targetsOf` gives them. */
export function listTargetsAmong(from: FormatId, reached: ReadonlySet<FormatId>): FormatId[] {
  const source = formatById(from)
  const targets = formats.filter((format) => reached.has(format.id) && isListedTarget(source, format))
  const byCategory = Map.groupBy(targets, ({ category }) => category)
  const sameCategory = byCategory.get(source.category) ?? []
  byCategory.delete(source.category)
  return [sameCategory, ...byCategory.values()]
    .flatMap((group) => group.toSorted((a, b) => rankOf(a) - rankOf(b)))
    .map(({ id }) => id)
}

/** Every pair that works, or those of one source, with its route. Searched once for a list of engines. */
export function findConversions(
  engines: readonly Engine[],
  operation: Operation = 'convert',
  from?: FormatId,
): readonly Conversion[] {
  const plans = plansOf(engines, operation)
  return from === undefined ? plans.listAll() : conversionsOf(from, plans.from(from))
}

const conversionsOf = (from: FormatId, routes: ReadonlyMap<FormatId, Route>): Conversion[] =>
  [...routes].map(([to, route]) => ({ from, to, route }))

/** Every pair that should work, those included that nobody has seen to; `npm run conformance` tries them. */
export function listCandidates(engines: readonly Engine[]): readonly Conversion[] {
  return lazyPlans(buildEdges(engines, 'convert'), maxStepsOf('convert'), {}).listAll()
}

/**
 * The options of all steps as one schema. A name that several steps know is the one of the last: it makes the target.
 * Only the password of a document belongs to what comes before them all, and how it is to be read is said to the first:
 * what the others read, we have made.
 */
export function optionsSchemaOf(route: Route): z.ZodObject {
  const shapes = route.steps.map(shapeOf)
  return z.object(Object.assign({}, ...shapes, mayNeedUnlock(route) ? unlockOptionShape : {}))
}

function shapeOf({ capability: { options } }: Edge, at: number): Readonly<Record<string, z.ZodType>> {
  // What an option is made of is none of the types that zod infers from it.
  const shape = options.shape as Readonly<Record<string, z.ZodType>>
  if (at === 0) return shape
  return Object.fromEntries(Object.entries(shape).filter(([, option]) => !isInputOption(option)))
}

/** The steps of a route as a task keeps them, each with those of the parsed options that belong to it. */
export function createSteps(route: Route, options: Readonly<Record<string, unknown>>): ConversionStep[] {
  const { password, ...rest } = options
  const [first] = route.steps
  if (!needsUnlockStep(route, options)) return assignOptions(route, options)
  const { engine, image } = unlockEngine
  const unlock = { operation: 'unlock', engine, image, from: first.from, to: first.from } as const
  return [{ ...unlock, options: { password } }, ...assignOptions(route, rest)]
}

/** Operations that need the content of a document, as against those that take it for bytes. */
const contentOperations: readonly Operation[] = ['convert', 'compress', 'thumbnail', 'watermark']

/** Whether its file may need a password that a step before it would take away. */
export const mayNeedUnlock = ({ steps: [first] }: Route): boolean =>
  isLockable(first.from) && contentOperations.includes(first.capability.operation)

/** Whether a step before it takes the password away. */
const needsUnlockStep = (route: Route, options: Readonly<Record<string, unknown>>) =>
  options['password'] !== undefined && mayNeedUnlock(route)

/** Where the first step is done; of the options, which may be sealed, it matters only which there are. */
export const firstImageOf = (route: Route, options: Readonly<Record<string, unknown>>): ImageId =>
  needsUnlockStep(route, options) ? unlockEngine.image : route.steps[0].image

function assignOptions(route: Route, options: Readonly<Record<string, unknown>>): ConversionStep[] {
  const shapes = route.steps.map(shapeOf)
  const stepOfOption = (name: string) => shapes.findLastIndex((shape) => name in shape)
  return route.steps.map(({ capability, engine, image, from, to }, at) => ({
    operation: capability.operation,
    engine,
    image,
    from,
    to,
    options: Object.fromEntries(Object.entries(options).filter(([name]) => stepOfOption(name) === at)),
  }))
}

interface Plans {
  from(id: FormatId, pinned?: EngineId): ReadonlyMap<FormatId, Route>
  /** The same for a file with traits, by none of the engines that lack what they ask for. */
  fromWithTraits(id: FormatId, traits: readonly Trait[]): ReadonlyMap<FormatId, Route>
  listAll(): readonly Conversion[]
  findOther(request: OtherRouteRequest): Route | undefined
}

const cache = new WeakMap<readonly Engine[], Map<Operation, Plans>>()

function plansOf(engines: readonly Engine[], operation: Operation): Plans {
  const plans = cache.get(engines) ?? new Map<Operation, Plans>()
  cache.set(engines, plans)
  const known =
    plans.get(operation) ??
    lazyPlans(
      buildEdges(engines, operation),
      maxStepsOf(operation),
      operation === 'convert' ? unprovenPairs : {},
    )
  plans.set(operation, known)
  return known
}

/** What another operation does to a file, it does in one step. */
const maxStepsOf = (operation: Operation) => (operation === 'convert' ? 3 : 1)

/** Sources are searched when first asked for: most requests of a fresh function need one. */
function lazyPlans(
  edges: Edges,
  maxSteps: number,
  unproven: Readonly<Record<string, readonly string[]>>,
): Plans {
  const bySource = new Map<string, Map<FormatId, Route>>()
  const search = (id: FormatId, pinned?: EngineId) =>
    new Map(
      [...routesFrom(edges, id, maxSteps, pinned)].filter(
        ([to, { steps }]) =>
          !unproven[id]?.includes(to) &&
          // What one engine does in one step is always there; a page of a book as a sun raster is a way, but nobody's.
          (steps.length === 1 || isWorthSeveralSteps(formatById(id), formatById(to))),
      ),
    )
  const from = (id: FormatId, pinned?: EngineId) => {
    const key = `${pinned ?? ''}/${id}`
    const known = bySource.get(key) ?? search(id, pinned)
    bySource.set(key, known)
    return known
  }
  const fromWithTraits = (id: FormatId, traits: readonly Trait[]) => {
    const key = `${traits.join()}/${id}`
    const known = bySource.get(key) ?? routesFrom(withoutUnsuitableEdges(edges, id, traits), id, maxSteps)
    bySource.set(key, known)
    return known
  }
  // Some 8 MB that hardly anybody asks for: they stay for the next page of a list, and not for ever.
  let allConversions: WeakRef<readonly Conversion[]> | undefined
  const listAll = () => {
    const known = allConversions?.deref()
    if (known) return known
    const found = formats.flatMap(({ id }) => conversionsOf(id, bySource.get(`/${id}`) ?? search(id)))
    allConversions = new WeakRef(found)
    return found
  }
  return { from, fromWithTraits, listAll, findOther: (request) => findOtherRoute(edges, request, maxSteps) }
}
