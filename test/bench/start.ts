import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { reaperCommand } from './process-tree.ts'

/** Starts the benchmark under the reaper, so that orphaned processes of a sandbox are also measured. */
const [program = '', ...args] = [...reaperCommand, process.execPath, ...process.execArgv]
const benchPath = join(import.meta.dirname, 'bench.ts')
const { status } = spawnSync(program, [...args, benchPath, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
