import { homedir } from 'node:os'
import { join } from 'node:path'

/** The only reader of the environment here. */
const { env } = process

export const serviceUrl = env['MUTABOR_URL'] || undefined
export const apiKey = env['MUTABOR_API_KEY'] || undefined
export const supportsColor = env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb'

const resolveBase = (variable: string, fallback: string) =>
  join(env[variable] || join(homedir(), fallback), 'mutabor')
/** What `login` keeps. */
export const configFile = join(resolveBase('XDG_CONFIG_HOME', '.config'), 'config.json')
/** What a command goes on with after a break. */
export const stateFolder = resolveBase('XDG_STATE_HOME', '.local/state')

/** For a process of its own: without what npm sets for whoever it starts. */
export const inheritedEnvironment = () =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_')))
