import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import packages from '../layers/packages.json' with { type: 'json' }

const notice = readFileSync(new URL('../NOTICE', import.meta.url), 'utf8')
const words = notice.split(/[\s,;()]+/)
/** Returns whether NOTICE contains the name of the package, or a pattern for it such as `tesseract-ocr-*`. */
const isNamed = (name: string) =>
  words.some((word) =>
    word.endsWith('*') && word.length > 1 ? name.startsWith(word.slice(0, -1)) : word === name,
  )

test('NOTICE names every Debian package in the container images', () => {
  const { test: _test, slow: _slow, aws: _aws, images: _images, ...parts } = packages
  for (const [part, names] of Object.entries(parts)) {
    assert.deepEqual(
      names.filter((name) => !isNamed(name)),
      [],
      `NOTICE says nothing of these packages of ${part}`,
    )
  }
})

test('NOTICE names each npm dependency that has a copyleft license', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const path = new URL(`../node_modules/${name}/package.json`, import.meta.url)
    const { license = '' } = JSON.parse(readFileSync(path, 'utf8'))
    if (/GPL|MPL|EPL|CDDL/.test(license)) assert.ok(isNamed(name), `${name} is under ${license}`)
  }
})
