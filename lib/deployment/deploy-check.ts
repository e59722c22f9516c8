// `npm run deploy:check [-- --stage prod | --all]` packages the service and checks the result offline.
// With `--all`, it packages each profile, and a stage with every setting, in separate folders.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exampleStages } from './check/example-stages.ts'
import { checkGuardRules } from './check/guard.ts'
import { selectGuardExceptions } from './check/guard-exceptions.ts'
import { checkProjectRules } from './check/project-rules.ts'
import { fillServiceFolder } from './check/service-folder.ts'
import { checkSpecification } from './check/specification.ts'
import type { Template } from './check/template.ts'
import { getStageFromArgs, readStage } from './stage.ts'

/** Returns whether a stage can be packaged and no check found a problem in its template. */
function check(stage: string, folder: string): boolean {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/.bin/serverless', 'package', '--stage', stage],
    { stdio: 'inherit', cwd: folder },
  )
  if (status !== 0) return false
  const path = join(folder, '.serverless/cloudformation-template-update-stack.json')
  const template: Template = JSON.parse(readFileSync(path, 'utf8'))
  const { findings, valueCount } = checkSpecification(template)
  const settings = readStage(stage, folder)
  const allFindings = [
    ...findings,
    ...checkProjectRules(template, settings),
    ...checkGuardRules(path, { allowed: selectGuardExceptions(settings) }),
  ]
  for (const { at, problem } of allFindings) process.stdout.write(`${stage}: ${at}: ${problem}\n`)
  const count = Object.keys(template.Resources).length
  const summary = allFindings.length === 0 ? 'no problems' : `${allFindings.length} problems`
  process.stdout.write(`${stage}: ${count} resources, ${valueCount} values: ${summary}\n`)
  return allFindings.length === 0
}

function checkExample([stage, settings]: [string, object]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mutabor-deploy-check-'))
  try {
    fillServiceFolder(folder, stage, settings)
    return check(stage, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Checks the template of the firewall, which is a separate stack in another region. */
function checkFirewall(): boolean {
  const path = fileURLToPath(new URL('firewall.json', import.meta.url))
  const { findings } = checkSpecification(JSON.parse(readFileSync(path, 'utf8')))
  const allFindings = [...findings, ...checkGuardRules(path, { allowed: {} })]
  for (const { at, problem } of allFindings) process.stdout.write(`firewall.json: ${at}: ${problem}\n`)
  return allFindings.length === 0
}

const haveStagesPassed = process.argv.includes('--all')
  ? Object.entries(exampleStages).map(checkExample).every(Boolean)
  : check(getStageFromArgs(process.argv), process.cwd())
process.exitCode = haveStagesPassed && checkFirewall() ? 0 : 1
