import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { guardExceptions } from './guard-exceptions.ts'
import type { TemplateFinding } from './template.ts'

const validatorFolder = fileURLToPath(
  new URL('../../../node_modules/@cdklabs/cdk-validator-cfnguard', import.meta.url),
)
const Reports = z.array(
  z.object({
    not_compliant: z.array(z.object({ Rule: z.looseObject({ name: z.string() }) })).default([]),
  }),
)

/** Time limit of cfn-guard, which takes minutes on a busy machine. */
const guardTimeoutMs = 600_000

/**
 * Checks the rules of AWS Control Tower with cfn-guard, whose package contains the program and the rules. If the
 * program does not finish, that is a finding, so that the findings of other checks are shown as well.
 */
export function checkGuardRules(
  templatePath: string,
  { allowed = guardExceptions, timeoutMs = guardTimeoutMs } = {},
): TemplateFinding[] {
  const program = join(validatorFolder, 'bin/ubuntu/x86_64/cfn-guard')
  const rules = join(validatorFolder, 'rules/control-tower/cfn-guard')
  const { stdout, stderr, error } = spawnSync(
    program,
    [
      ...['validate', '--rules', rules, '--data', templatePath],
      ...['--output-format', 'json', '--show-summary', 'none', '--structured'],
    ],
    { encoding: 'utf8', maxBuffer: 128 * 1024 ** 2, timeout: timeoutMs },
  )
  if (error || stdout === '')
    return [{ at: 'cfn-guard', problem: `did not finish: ${error?.message ?? stderr}` }]
  const violations = Reports.parse(JSON.parse(stdout)).flatMap((report) =>
    report.not_compliant.flatMap(({ Rule }) =>
      findResourceIds(Rule).map((at) => ({ at, problem: Rule.name })),
    ),
  )
  const isExcepted = ({ at, problem }: TemplateFinding) => allowed[problem]?.resourcePattern.test(at) === true
  const unusedExceptions = Object.keys(allowed).filter(
    (rule) => !violations.some(({ problem }) => problem === rule),
  )
  return [
    ...violations.filter((violation) => !isExcepted(violation)),
    ...unusedExceptions.map((rule) => ({
      at: 'guard-exceptions.ts',
      problem: `${rule} needs no exception any more: remove it`,
    })),
  ]
}

const findResourceIds = (rule: unknown): string[] => [
  ...new Set([...JSON.stringify(rule).matchAll(/\/Resources\/(\w+)/g)].map(([, id = '']) => id)),
]
