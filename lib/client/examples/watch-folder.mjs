// Converts new files in a folder: node watch-folder.mjs inbox pdf outbox
// A minimal version of `mutabor watch`, which also keeps folder trees and resumes after an interruption.
import { openAsBlob } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure, Mutabor } from '@mutabor/client'

const [inbox, format, outbox] = process.argv.slice(2)
const client = new Mutabor({ url: process.env.MUTABOR_URL, apiKey: process.env.MUTABOR_API_KEY })
const convertedNames = new Set()
await mkdir(outbox, { recursive: true })

for (;;) {
  for (const name of await readdir(inbox)) {
    const path = join(inbox, name)
    const { mtimeMs } = await stat(path)
    // A file that was modified less than a second ago may be incomplete.
    if (convertedNames.has(name) || Date.now() - mtimeMs < 1000) continue
    convertedNames.add(name)
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
