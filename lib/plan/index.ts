import * as z from 'zod'
import { type EngineId, type ImageId, isPinnable } from '../component-ids.ts'
import type { Engine } from '../engines/engine.ts'
import { unlockEngine, unlockOptionShape } from '../engines/libreoffice/unlock-options.ts'
import { isEachStepOption, isInputOption } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { Trait } from '../formats/detect/traits.ts'
import { type FormatId, formatById, formats } from '../formats/index.ts'
import { canBeLocked } from '../formats/locked-office.ts'
import type { ConversionStep } from '../model/job.ts'
import { type Operation, toolOperations } from '../model/operations.ts'
import { describeValues } from '../validation/describe-schema.ts'
import { buildEdges, type Edge, type Edges, removeUnsuitableEdges } from './edges.ts'
import { findOtherRoute, type OtherRouteRequest } from './fallback-search.ts'
import { getRank, isListedTarget, isWorthSeveralSteps } from './listed-targets.ts'
import { findRoutesFrom, type Route } from './search.ts'
import unprovenPairs from './unproven-pairs.json' with { type: 'json' }

export type { Edge } from './edges.ts'
export type { UnreadableSteps as Unread } from './fallback-search.ts'
export type { Route } from './search.ts'

export interface RouteRequest {
  readonly from: FormatId
  readonly to: FormatId
  readonly operation?: Operation
  /** Engine of the last step, if it is pinned; it also runs earlier steps where possible. */
  readonly engine?: EngineId | undefined
  readonly engines: readonly Engine[]
  /** Traits of the source file. */
  readonly traits?: readonly Trait[] | undefined
}

export interface Conversion {
  readonly from: FormatId
  readonly to: FormatId
  readonly route: Route
}

/**
 * Returns the cheapest route of one to three steps.
 * @throws AppError UNSUPPORTED_CONVERSION; if an engine was pinned, its details name the engines that support it.
 */
export function planRoute({
  from,
  to,
  operation = 'convert',
  engine,
  engines,
  traits = [],
}: RouteRequest): Route {
  const table = getRouteTable(engines, operation)
  const route = table.from(from, engine).get(to)
  // A pinned engine is used even if it does not support the file's traits. Traits that no engine supports are ignored.
  const usesTraits = route && engine === undefined && traits.length > 0
  const traitsRoute = usesTraits ? table.fromWithTraits(from, traits).get(to) : undefined
  if (route) return traitsRoute ?? route
  const pairName = `${formatById(from).name} (${from}) to ${formatById(to).name} (${to})`
  if (operation !== 'convert') throw createUnsupportedOperationError(operation, from, to, engines)
  if (engine === undefined) {
    if (from === to) throw createSameFormatError(from, engines)
    throw new AppError('UNSUPPORTED_CONVERSION', `Converting ${pairName} is not supported.`, {
      from,
      to,
      targets: listTargets(from, engines),
    })
  }
  const capableEngines = engines.map(({ id }) => id).filter((id) => table.from(from, id).has(to))
  const hint =
    capableEngines.length > 0
      ? `Leave "engine" out or use one of: ${capableEngines.join(', ')}.`
      : 'No other engine supports it.'
  throw new AppError('UNSUPPORTED_CONVERSION', `The engine ${engine} cannot convert ${pairName}. ${hint}`, {
    from,
    to,
    engine,
    engines: capableEngines,
  })
}

/**
 * Creates an error that names the tools, because a client that converts a format to itself usually wants one of them.
 */
function createSameFormatError(from: FormatId, engines: readonly Engine[]): AppError {
  const supportedOperations = new Set(
    engines.flatMap(({ capabilities }) =>
      capabilities.flatMap((row) => (row.from.includes(from) ? row.operation : [])),
    ),
  )
  const tools = toolOperations.filter((tool) => supportedOperations.has(tool))
  const hint =
    tools.length > 0
      ? `To edit the file, set toolOperation to one of: ${tools.join(', ')}.`
      : 'Choose another target format.'
  return new AppError(
    'UNSUPPORTED_CONVERSION',
    `The file is already a ${formatById(from).name} (${from}), and converting it to the same format is not supported. ${hint}`,
    { from, to: from, targets: listTargets(from, engines), tools },
  )
}

/** Returns the cheapest route that avoids the failed ones; undefined if there is none. */
export function planOtherRoute(
  request: OtherRouteRequest & Pick<RouteRequest, 'operation' | 'engines'>,
): Route | undefined {
  const { operation = 'convert', engines } = request
  return getRouteTable(engines, operation).findOther(request)
}

/** Maximum number of formats in an error message; GET /v1/formats/conversions lists all. */
const maxListedFormats = 40

const describeFormats = (formats: readonly FormatId[]) =>
  formats.length <= maxListedFormats
    ? formats.join(', ')
    : `${formats.slice(0, maxListedFormats).join(', ')} and ${formats.length - maxListedFormats} more`

function createUnsupportedOperationError(
  operation: Operation,
  from: FormatId,
  to: FormatId,
  engines: readonly Engine[],
): AppError {
  const rows = engines.flatMap(({ capabilities }) =>
    capabilities.filter((row) => row.operation === operation),
  )
  const sources = [...new Set(rows.flatMap((row) => row.from))]
  const targets = [...getRouteTable(engines, operation).from(from).keys()]
  const sentence =
    targets.length > 0
      ? `${operation} creates ${describeValues(targets)} from ${from}, not ${to}.`
      : `${operation} supports ${describeFormats(sources) || 'no format on this machine'}; the file is ${from}.`
  const details = { operation, from, to, targets, ...(sources.length <= maxListedFormats && { sources }) }
  return new AppError('UNSUPPORTED_CONVERSION', sentence, details)
}

/**
 * Returns the useful targets of a format, without the format itself: first those of its own category, most popular
 * first, then in the order of the registry. `findConversions` returns all possible targets.
 */
export function listTargets(from: FormatId, engines: readonly Engine[]): FormatId[] {
  return listTargetsAmong(from, new Set(getRouteTable(engines, 'convert').from(from).keys()))
}

/** Selects and sorts the useful targets among reachable formats, like `listTargets`. */
export function listTargetsAmong(from: FormatId, reachedFormats: ReadonlySet<FormatId>): FormatId[] {
  const source = formatById(from)
  const targets = formats.filter((format) => reachedFormats.has(format.id) && isListedTarget(source, format))
  const byCategory = Map.groupBy(targets, ({ category }) => category)
  const sameCategory = byCategory.get(source.category) ?? []
  byCategory.delete(source.category)
  return [sameCategory, ...byCategory.values()]
    .flatMap((group) => group.toSorted((a, b) => getRank(a) - getRank(b)))
    .map(({ id }) => id)
}

/** Returns all supported pairs, or those of one source, with their routes. They are cached per list of engines. */
export function findConversions(
  engines: readonly Engine[],
  operation: Operation = 'convert',
  from?: FormatId,
): readonly Conversion[] {
  const table = getRouteTable(engines, operation)
  return from === undefined ? table.listAll() : toConversions(from, table.from(from))
}

/**
 * Returns the engines that a client can pin with `engine` to convert the pair in one step, cheapest first. The engines
 * of the default route are left out.
 */
export function listAlternatives(
  { from, to, route }: Conversion,
  engines: readonly Engine[],
): readonly EngineId[] {
  const routeEngines = route.steps.map(({ engine }) => engine)
  const oneStepEngines = getRouteTable(engines, route.steps[0].capability.operation).directEngines(from, to)
  return [...new Set(oneStepEngines)].filter((id) => !routeEngines.includes(id) && isPinnable(id))
}

const toConversions = (from: FormatId, routes: ReadonlyMap<FormatId, Route>): Conversion[] =>
  [...routes].map(([to, route]) => ({ from, to, route }))

/** Returns all pairs that should work, including unproven ones; `npm run conformance` tests them. */
export function listCandidates(engines: readonly Engine[]): readonly Conversion[] {
  return createLazyRouteTable(buildEdges(engines, 'convert'), getMaxSteps('convert'), {}).listAll()
}

/**
 * Combines the options of all steps into one schema. An option that several steps support belongs to the last of these
 * steps. Exceptions: the password belongs to the unlock step before all other steps, and options about reading the
 * source belong to the first step, because later steps read intermediate files.
 */
export function createOptionsSchema(route: Route): z.ZodObject {
  const shapes = route.steps.map(getShape)
  return z.object(Object.assign({}, ...shapes, mayNeedUnlock(route) ? unlockOptionShape : {}))
}

function getShape({ capability: { options } }: Edge, at: number): Readonly<Record<string, z.ZodType>> {
  // zod does not infer the type of the shape's values.
  const shape = options.shape as Readonly<Record<string, z.ZodType>>
  if (at === 0) return shape
  return Object.fromEntries(Object.entries(shape).filter(([, option]) => !isInputOption(option)))
}

/** Creates the steps that a task stores, each with its parsed options. */
export function createSteps(route: Route, options: Readonly<Record<string, unknown>>): ConversionStep[] {
  const { password, ...otherOptions } = options
  const [firstStep] = route.steps
  if (!needsUnlockStep(route, options)) return assignOptions(route, options)
  const { engine, image } = unlockEngine
  const unlockStep = { operation: 'unlock', engine, image, from: firstStep.from, to: firstStep.from } as const
  return [{ ...unlockStep, options: { password } }, ...assignOptions(route, otherOptions)]
}

/** Operations that read the content of a document; other operations treat the document as bytes. */
const contentOperations: readonly Operation[] = ['convert', 'compress', 'thumbnail', 'watermark']

/** Whether the source file may need an unlock step that removes its password. */
export const mayNeedUnlock = ({ steps: [first] }: Route): boolean =>
  canBeLocked(first.from) && contentOperations.includes(first.capability.operation)

/** Whether an unlock step must remove the password first. */
const needsUnlockStep = (route: Route, options: Readonly<Record<string, unknown>>) =>
  options['password'] !== undefined && mayNeedUnlock(route)

/** Returns the container image of the first step. Options may be sealed, because only their presence matters. */
export const getFirstImage = (route: Route, options: Readonly<Record<string, unknown>>): ImageId =>
  needsUnlockStep(route, options) ? unlockEngine.image : route.steps[0].image

function assignOptions(route: Route, options: Readonly<Record<string, unknown>>): ConversionStep[] {
  const shapes = route.steps.map(getShape)
  const findStepOfOption = (name: string) => shapes.findLastIndex((shape) => name in shape)
  const belongsToStep = (name: string, at: number) => {
    const option = shapes[at]?.[name]
    return option !== undefined && (isEachStepOption(option) || findStepOfOption(name) === at)
  }
  return route.steps.map(({ capability, engine, image, from, to }, at) => ({
    operation: capability.operation,
    engine,
    image,
    from,
    to,
    options: Object.fromEntries(Object.entries(options).filter(([name]) => belongsToStep(name, at))),
  }))
}

interface RouteTable {
  from(id: FormatId, pinnedEngine?: EngineId): ReadonlyMap<FormatId, Route>
  /** Returns the routes of a file with these traits. Engines that do not support the traits never read the file. */
  fromWithTraits(id: FormatId, traits: readonly Trait[]): ReadonlyMap<FormatId, Route>
  listAll(): readonly Conversion[]
  /** Returns the engines that convert the pair in one step, cheapest first. */
  directEngines(from: FormatId, to: FormatId): readonly EngineId[]
  findOther(request: OtherRouteRequest): Route | undefined
}

const routeTableCache = new WeakMap<readonly Engine[], Map<Operation, RouteTable>>()

function getRouteTable(engines: readonly Engine[], operation: Operation): RouteTable {
  const tables = routeTableCache.get(engines) ?? new Map<Operation, RouteTable>()
  routeTableCache.set(engines, tables)
  const knownTable =
    tables.get(operation) ??
    createLazyRouteTable(
      buildEdges(engines, operation),
      getMaxSteps(operation),
      operation === 'convert' ? unprovenPairs : {},
    )
  tables.set(operation, knownTable)
  return knownTable
}

/** Returns the maximum number of steps: only `convert` may take several. */
const getMaxSteps = (operation: Operation) => (operation === 'convert' ? 3 : 1)

/** Searches the routes of a source on first use, because most requests in a fresh process need only one. */
function createLazyRouteTable(
  edges: Edges,
  maxSteps: number,
  unproven: Readonly<Record<string, readonly string[]>>,
): RouteTable {
  const bySource = new Map<string, Map<FormatId, Route>>()
  const searchRoutes = (id: FormatId, pinnedEngine?: EngineId) =>
    new Map(
      [...findRoutesFrom(edges, id, maxSteps, pinnedEngine)].filter(
        ([to, { steps }]) =>
          !unproven[id]?.includes(to) &&
          // A route of one step is always listed. A route of several steps must be useful, unlike a page as a Sun
          // raster image.
          (steps.length === 1 || isWorthSeveralSteps(formatById(id), formatById(to))),
      ),
    )
  const from = (id: FormatId, pinnedEngine?: EngineId) => {
    const key = `${pinnedEngine ?? ''}/${id}`
    const knownRoutes = bySource.get(key) ?? searchRoutes(id, pinnedEngine)
    bySource.set(key, knownRoutes)
    return knownRoutes
  }
  const fromWithTraits = (id: FormatId, traits: readonly Trait[]) => {
    const key = `${traits.join()}/${id}`
    const traitRoutes =
      bySource.get(key) ?? findRoutesFrom(removeUnsuitableEdges(edges, id, traits), id, maxSteps)
    bySource.set(key, traitRoutes)
    return traitRoutes
  }
  // The list takes about 8 MB and is rarely needed, so it may be garbage-collected between two requests.
  let allConversions: WeakRef<readonly Conversion[]> | undefined
  const listAll = () => {
    const cachedConversions = allConversions?.deref()
    if (cachedConversions) return cachedConversions
    const foundConversions = formats.flatMap(({ id }) =>
      toConversions(id, bySource.get(`/${id}`) ?? searchRoutes(id)),
    )
    allConversions = new WeakRef(foundConversions)
    return foundConversions
  }
  const directEngines = (id: FormatId, to: FormatId) =>
    edges
      .get(id)
      ?.get(to)
      ?.map(({ engine }) => engine) ?? []
  const findOther = (request: OtherRouteRequest) => findOtherRoute(edges, request, maxSteps)
  return { from, fromWithTraits, listAll, directEngines, findOther }
}
