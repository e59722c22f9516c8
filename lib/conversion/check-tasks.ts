import type { Config } from '../config.ts'
import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { requireConsistentOptions, requirePossibleOptions } from '../plan/option-rules.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import { AddressGuard } from '../transfer/addresses.ts'

/**
 * Finds the errors that can be seen in a request without its files, which may arrive later. These checks run before
 * anything is stored.
 */

/** Import operations that produce exactly one file. */
const singleFileImports: readonly string[] = [
  'import/upload',
  'import/base64',
  'import/raw',
  'import/url',
  'capture-website',
]

/**
 * Checks the options of a processing task.
 * @param hasPlan true if the options were already checked with the route of the files.
 * @throws AppError INVALID_INPUT naming the option.
 */
export function requireSupportedOptions(
  { operation, fields, input }: RequestedTask,
  {
    tasksByName,
    engines,
    hasPlan,
  }: {
    readonly tasksByName: ReadonlyMap<string, RequestedTask>
    readonly engines: readonly Engine[]
    readonly hasPlan: boolean
  },
): void {
  if (operation.kind !== 'process') return
  const spec = operation.toConversionSpec([], operation.parseSpec(fields))
  const hasSingleFiles = input.every((name) => {
    const source = tasksByName.get(name)
    return source !== undefined && singleFileImports.includes(source.operation.name)
  })
  requireConsistentOptions({
    operation: spec.operation,
    options: spec.options,
    additionalFiles: hasSingleFiles ? input.length - 1 : undefined,
  })
  if (!hasPlan) requirePossibleOptions(spec, engines)
}

/** Fields of import and export tasks that contain a URL or a host name. */
const addressFields = ['url', 'endpoint', 'host'] as const

/**
 * Rejects IP addresses in private networks. Host names are resolved later, when the service connects.
 * @throws AppError URL_NOT_ALLOWED naming the field.
 */
export function requirePublicAddresses(
  { operation, fields, requestField = (field) => field }: RequestedTask,
  { OUTGOING_ALLOW }: Pick<Config, 'OUTGOING_ALLOW'>,
): void {
  if (operation.kind === 'process') return
  const guard = new AddressGuard(OUTGOING_ALLOW)
  for (const name of addressFields) {
    const value = fields[name]
    if (typeof value !== 'string') continue
    const host = URL.parse(value)?.hostname || (name === 'host' ? value : '')
    try {
      guard.requireAllowedLiteral(host)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const field = requestField(name)
      throw new AppError(error.code, `${field}: ${error.message}`, { ...error.details, field })
    }
  }
}
