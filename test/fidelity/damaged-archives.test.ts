import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { getContentReader } from '../../lib/fidelity/content-formats.ts'
import { summarize } from '../../lib/fidelity/summarize.ts'

const tar = Buffer.concat([Buffer.from('a'.padEnd(156, '\0')), Buffer.alloc(1024 - 156)])

for (const [format, bytes] of [
  ['tgz', gzipSync(tar)],
  ['tzst', zstdCompressSync(tar)],
] as const)
  test(`counting the content of a ${format} archive does not throw, whichever byte is damaged`, async () => {
    const reader = getContentReader(format)
    assert.ok(reader)
    let unreadableCount = 0
    for (let at = 0; at < bytes.length; at++) {
      const damagedBytes = Buffer.from(bytes)
      damagedBytes[at] = (damagedBytes[at] ?? 0) ^ 0x55
      const source = {
        size: damagedBytes.length,
        read: async (start: number, end: number) => damagedBytes.subarray(start, end),
      }
      if ((await summarize(source, { kind: 'content', reader, isResult: false })) === null) unreadableCount++
    }
    assert.ok(unreadableCount > 5, `${unreadableCount} of ${bytes.length}`)
  })
