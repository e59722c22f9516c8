// npm run deploy:check [-- --stage prod]: packages the service and checks the result offline.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { checkGuardRules } from './check/guard.ts'
import { checkProjectRules } from './check/project-rules.ts'
import { checkSpecification } from './check/specification.ts'
import type { Template } from './check/template.ts'
import { readStage, stageFromArgs } from './stage.ts'

const stage = stageFromArgs(process.argv)
const { status } = spawnSync(
  process.execPath,
  ['node_modules/.bin/serverless', 'package', '--stage', stage],
  { stdio: 'inherit' },
)
if (status !== 0) process.exit(status ?? 1)

const path = '.serverless/cloudformation-template-update-stack.json'
const template: Template = JSON.parse(readFileSync(path, 'utf8'))
const { findings, values } = checkSpecification(template)
const all = [...findings, ...checkProjectRules(template, readStage(stage)), ...checkGuardRules(path)]
for (const { at, problem } of all) process.stdout.write(`${at}: ${problem}\n`)
const count = Object.keys(template.Resources).length
process.stdout.write(
  `${count} resources, ${values} values: ${all.length === 0 ? 'no problems' : `${all.length} problems`}\n`,
)
process.exitCode = all.length === 0 ? 0 : 1
