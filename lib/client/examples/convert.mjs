// Converts a file with the client: node convert.mjs report.docx pdf
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { isFailure, Mutabor } from '@mutabor/client'

const [path, format] = process.argv.slice(2)
const client = new Mutabor({ url: process.env.MUTABOR_URL, apiKey: process.env.MUTABOR_API_KEY })

try {
  const result = await client.convert(
    await openAsBlob(path),
    format,
    {},
    {
      filename: basename(path),
      onProgress: ({ stage, percent }) => console.error(stage, percent),
    },
  )
  await writeFile(result.filename, result.stream())
  console.log(result.filename)
} catch (error) {
  // Every failure of the client or the service has a code, which `isFailure` compares.
  if (!isFailure(error)) throw error
  console.error(
    isFailure(error, 'RATE_LIMITED')
      ? `Try again in ${error.retryAfterS} s.`
      : `${error.code}: ${error.message}`,
  )
  process.exitCode = 1
}
