// Converts whatever arrives in a folder: node watch-folder.mjs inbox pdf outbox
// `mutabor watch` does the same, keeps trees and goes on after a break; this is how little it takes.
import { openAsBlob } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure, Mutabor } from '@mutabor/client'

const [inbox, format, outbox] = process.argv.slice(2)
const client = new Mutabor({ url: process.env.MUTABOR_URL, apiKey: process.env.MUTABOR_API_KEY })
const done = new Set()
await mkdir(outbox, { recursive: true })

for (;;) {
  for (const name of await readdir(inbox)) {
    const path = join(inbox, name)
    const { mtimeMs } = await stat(path)
    // What was written to a moment ago may not be whole.
    if (done.has(name) || Date.now() - mtimeMs < 1000) continue
    done.add(name)
    try {
      const result = await client.convert(await openAsBlob(path), format, {}, { filename: name })
      await writeFile(join(outbox, result.filename), result.stream())
      console.log(`${name} → ${result.filename}`)
    } catch (error) {
      if (!isFailure(error)) throw error
      console.error(`${name}: ${error.message}`)
    }
  }
  await sleep(500)
}
