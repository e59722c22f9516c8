import { parseArgs } from 'node:util'
import { booleanOptions } from '../api-constants.ts'
import { UsageError } from './exit-codes.ts'

/** Flags of the command line itself; everything else is a conversion option. */
const ownFlags = {
  url: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  out: { type: 'string', short: 'o' },
  jobs: { type: 'string', short: 'j' },
  http: { type: 'string' },
  root: { type: 'string' },
  json: { type: 'boolean' },
  force: { type: 'boolean', short: 'f' },
  quiet: { type: 'boolean', short: 'q' },
  local: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

type TextFlags = Partial<Record<'url' | 'to' | 'from' | 'out' | 'jobs' | 'http' | 'root', string>>
type BooleanFlags = Partial<Record<'json' | 'force' | 'quiet' | 'local' | 'help' | 'version', boolean>>

export interface Arguments {
  readonly words: readonly string[]
  readonly flags: TextFlags & BooleanFlags
  /** Conversion options by name. */
  readonly options: Readonly<Record<string, string | boolean>>
}

/** Parses `--jpeg-quality 80` or `--jpegQuality=80`, and `--lossless` or `--no-lossless` for boolean options. */
export function parseArguments(args: readonly string[]): Arguments {
  const { tokens } = parseArgs({ args: [...args], options: ownFlags, strict: false, tokens: true })
  const words: string[] = []
  const flags: Record<string, string | boolean> = {}
  const options: Record<string, string | boolean> = {}
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token?.kind === 'positional') words.push(token.value)
    if (token?.kind !== 'option') continue
    const { name, value } = token
    if (name in ownFlags) {
      flags[name] = readFlagValue(name as keyof typeof ownFlags, value) // checked above
      continue
    }
    if (!token.rawName.startsWith('--'))
      throw new UsageError(`Unknown option ${token.rawName}. Conversion options start with --.`)
    const nextToken = tokens[index + 1]
    const option = toCamelCase(name)
    const usesNextToken = value === undefined && !isSwitch(option) && nextToken?.kind === 'positional'
    if (usesNextToken) index += 1
    if (value === undefined && !usesNextToken && option.startsWith('no') && isSwitch(option))
      options[lowercaseFirst(option.slice(2))] = false
    else options[option] = value ?? (usesNextToken ? nextToken.value : true)
  }
  return { words, flags, options }
}

function readFlagValue(name: keyof typeof ownFlags, value: string | undefined): string | boolean {
  if (ownFlags[name].type === 'boolean') return true
  if (value !== undefined) return value
  throw new UsageError(`--${name} needs a value: --${name}=…`)
}

const toCamelCase = (name: string) =>
  name.replace(/-(\w)/g, (_, character: string) => character.toUpperCase())
const lowercaseFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const switches = new Set<string>(booleanOptions)
const isSwitch = (name: string) =>
  switches.has(name) || (name.startsWith('no') && switches.has(lowercaseFirst(name.slice(2))))
