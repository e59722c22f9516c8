import { runEscapeTest } from '../lib/engines/sandbox/escape-test.ts'
import { buildCommand, getConfinement, toConfinementLevel } from '../lib/engines/sandbox/isolation.ts'
import { launchers } from '../lib/engines/sandbox/launchers.ts'

/**
 * Reports how well engines can be isolated on this host. Called once after a deployment, before the first file. Tries
 * each launcher separately, to show which ones the host does not support.
 */
export async function handler() {
  const activeConfinement = await getConfinement()
  const launcherReports = []
  for (const launcher of launchers) {
    const findings = await runEscapeTest(launcher, (...command) => buildCommand(launcher, ...command))
    const openAccesses = Object.entries(findings).flatMap(([access, isBlocked]) =>
      isBlocked ? [] : [access],
    )
    launcherReports.push({
      detail: launcher.detail,
      promised: launcher.level,
      level: toConfinementLevel(findings),
      open: openAccesses,
    })
  }
  return { ...activeConfinement, tried: launcherReports }
}
