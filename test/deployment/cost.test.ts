import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const readme = readFileSync(new URL('../../lib/deployment/README.md', import.meta.url), 'utf8')

/** Returns the rows of a table in the README, with amounts in dollars. */
function readRowsBelow(header: string): Map<string, number> {
  const [, table = ''] = readme.split(`| ${header} | |\n|---|---|\n`)
  const rows = table.split('\n\n')[0]?.matchAll(/^\| (.+) \| \$([\d.]+) \|$/gm) ?? []
  return new Map([...rows].map(([, name = '', amount]) => [name, Number(amount)]))
}

test('lib/deployment/README.md lists the fixed costs of a month without requests, and their sum is the listed total', () => {
  const { total = 0, ...costs } = Object.fromEntries(readRowsBelow('An idle month'))
  const names = Object.keys(costs).join('\n')
  for (const costPattern of [
    /^alarms$/m,
    /polling of \d+ queues/,
    /metrics of the sweep/,
    /images in ECR/,
    /point-in-time/,
  ])
    assert.match(names, costPattern)
  const sum = Object.values(costs).reduce((total, cost) => total + cost)
  assert.ok(Math.abs(sum - total) < 0.05, `${sum} is not ${total}`)
})

test('in lib/deployment/README.md, downloads through CloudFront cost less than downloads from the bucket', () => {
  const [bucket = 0, cloudFront = 0] = readRowsBelow('Downloads of 1 TB in files of 1 MB').values()
  assert.ok(cloudFront > 0 && cloudFront < bucket, `${cloudFront} of ${bucket}`)
})
