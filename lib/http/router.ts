import findMyWay from 'find-my-way'
import { AppError } from '../errors.ts'
import { findTool } from '../plan/target-format.ts'
import { defined } from '../validation/defined.ts'
import { formatSuggestion } from '../validation/did-you-mean.ts'
import type { AnyContract } from './contract.ts'

interface RouteMatch {
  readonly contract: AnyContract
  readonly params: Readonly<Record<string, string | undefined>>
}

export interface Router {
  /**
   * Finds the contract of a request.
   * @throws AppError NOT_FOUND, METHOD_NOT_ALLOWED with the allowed methods in its details.
   */
  find(method: string, path: string): RouteMatch
  /** Returns the methods of a path; empty if the path does not exist. */
  listMethods(path: string): readonly string[]
}

export function createRouter(contracts: readonly AnyContract[]): Router {
  const methods = [...new Set(contracts.map((contract) => contract.method))]
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 200 })
  for (const contract of contracts) router.on(contract.method, contract.path, () => {}, contract)

  const listMethods = (path: string): string[] => {
    const knownMethods = methods.filter((method) => router.find(method, encodePath(path)))
    if (knownMethods.length === 0) return []
    return [...knownMethods, ...(knownMethods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  }
  return {
    listMethods,
    find(method, path) {
      const requestedContract = contracts.find(
        (contract) => contract.method === (method === 'HEAD' ? 'GET' : method),
      )?.method
      const foundRoute = requestedContract && router.find(requestedContract, encodePath(path))
      // The router's `store` of a route is the contract registered with it.
      if (foundRoute) return { contract: foundRoute.store as AnyContract, params: foundRoute.params }
      const otherMethods = listMethods(path)
      const versionedPath = `/v1${path}`
      const suggestion = listMethods(versionedPath).includes(method) ? versionedPath : undefined
      if (otherMethods.length === 0) throw createNotFoundError(path, suggestion)
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        `${path}: expected ${otherMethods.join(', ')}, got ${method}.${formatSuggestion(suggestion)}`,
        { method, allowed: otherMethods, ...defined({ suggestion }) },
      )
    },
  }
}

/**
 * Encodes a decoded path. find-my-way decodes paths and cuts them at `?` and `#`, but the gateway has already decoded
 * them: `%2523` must stay the three characters `%23`.
 */
const encodePath = (path: string) => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

function createNotFoundError(path: string, suggestion: string | undefined): AppError {
  const name = /^\/v1\/pdf\/([a-z-]{1,40})/.exec(path)?.[1]
  if (name) {
    const tool = findTool(name)
    const hint = `POST /v1/convert ${tool === undefined ? 'with toolOperation' : `toolOperation=${tool}`}`
    return new AppError('NOT_FOUND', `There are no /v1/pdf/ endpoints. Run PDF tools with ${hint}.`, { hint })
  }
  return new AppError(
    'NOT_FOUND',
    `There is no endpoint at ${path.slice(0, 100)}.${formatSuggestion(suggestion)} GET /v1 lists the main endpoints and /docs describes all of them.`,
    suggestion === undefined ? undefined : { suggestion },
  )
}
