import { homedir } from 'node:os'
import { join } from 'node:path'

/** The environment variables of the command-line client. No other file of the client reads them. */
const { env } = process

export const serviceUrl = env['MUTABOR_URL'] || undefined
export const apiKey = env['MUTABOR_API_KEY'] || undefined
export const supportsColor = env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb'

const resolveBaseFolder = (variable: string, fallback: string) =>
  join(env[variable] || join(homedir(), fallback), 'mutabor')
/** File in which `login` stores the key. */
export const configFile = join(resolveBaseFolder('XDG_CONFIG_HOME', '.config'), 'config.json')
/** Folder in which commands store what they need to resume. */
export const stateFolder = resolveBaseFolder('XDG_STATE_HOME', '.local/state')

/** The environment for child processes, without the variables that npm sets for its scripts. */
export const getChildEnvironment = () =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_')))
