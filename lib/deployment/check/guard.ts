import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { exceptions } from './guard-exceptions.ts'
import type { Finding } from './template.ts'

const root = fileURLToPath(new URL('../../../node_modules/@cdklabs/cdk-validator-cfnguard', import.meta.url))
const Reports = z.array(
  z.object({
    not_compliant: z.array(z.object({ Rule: z.looseObject({ name: z.string() }) })).default([]),
  }),
)

/** Runs the rules of AWS Control Tower, which the package carries with their program. */
export function againstGuard(templatePath: string, known = exceptions): Finding[] {
  const program = join(root, 'bin/ubuntu/x86_64/cfn-guard')
  const rules = join(root, 'rules/control-tower/cfn-guard')
  const { stdout, stderr, error } = spawnSync(
    program,
    [
      ...['validate', '--rules', rules, '--data', templatePath],
      ...['--output-format', 'json', '--show-summary', 'none', '--structured'],
    ],
    { encoding: 'utf8', maxBuffer: 128 * 1024 ** 2, timeout: 120_000 },
  )
  if (error || stdout === '') throw new Error(`cfn-guard did not run: ${stderr}`, { cause: error })
  const broken = Reports.parse(JSON.parse(stdout)).flatMap((report) =>
    report.not_compliant.flatMap(({ Rule }) => resourcesIn(Rule).map((at) => ({ at, says: Rule.name }))),
  )
  const isExcepted = ({ at, says }: Finding) => known[says]?.of.test(at) === true
  const needless = Object.keys(known).filter((rule) => !broken.some(({ says }) => says === rule))
  return [
    ...broken.filter((one) => !isExcepted(one)),
    ...needless.map((rule) => ({ at: 'guard-exceptions.ts', says: `nothing breaks ${rule} any more` })),
  ]
}

const resourcesIn = (rule: unknown): string[] => [
  ...new Set([...JSON.stringify(rule).matchAll(/\/Resources\/(\w+)/g)].map(([, id = '']) => id)),
]
