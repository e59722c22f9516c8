import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { detectFromContent } from '../../lib/formats/detect.ts'

const readFixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))

/** Functions that interrupt a read: they fail, or return too few of the bytes that were read. */
const interruptions: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  'a storage error': () => Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
  'an aborted stream': async (bytes) => bytes.subarray(0, bytes.length / 2),
}

for (const name of ['office/report.docx', 'report.pdf', 'office/locked.doc', 'video.mp4'])
  for (const [caseName, interrupt] of Object.entries(interruptions))
    test(`${caseName} while ${name} is examined is not reported as a damaged file`, async () => {
      const bytes = new Uint8Array(Buffer.concat([await readFixture(name), Buffer.alloc(0)]))
      const countReads = async (interruptedFrom: number) => {
        let readCount = 0
        const read = async (start: number, end: number) => {
          const slice = bytes.subarray(start, end)
          return ++readCount >= interruptedFrom ? interrupt(slice) : slice
        }
        const outcome = await detectFromContent({ filename: name, size: bytes.length, read }).catch(
          (error) => error,
        )
        return { reads: readCount, outcome }
      }
      const { reads, outcome } = await countReads(Number.POSITIVE_INFINITY)
      assert.ok(!(outcome instanceof Error), String(outcome))
      for (let from = 1; from <= reads; from++) {
        const { outcome } = await countReads(from)
        assert.match(String(outcome), /socket hang up|not read completely/, `from read ${from} on`)
      }
    })
