import { intrude } from '../lib/engines/sandbox/escape-test.ts'
import { commandFor, levelOf, protection } from '../lib/engines/sandbox/isolation.ts'
import { ways } from '../lib/engines/sandbox/launchers.ts'

/**
 * How far engines can be confined where this function runs: called once after a deployment, before the first file. Each
 * way is tried by itself, so that one that a host refuses shows.
 */
export async function handler() {
  const held = await protection()
  const tried = []
  for (const way of ways) {
    const findings = await intrude(way, (...command) => commandFor(way, ...command))
    const open = Object.entries(findings).flatMap(([thing, isHeld]) => (isHeld ? [] : [thing]))
    tried.push({ detail: way.detail, promised: way.level, level: levelOf(findings), open })
  }
  return { ...held, tried }
}
