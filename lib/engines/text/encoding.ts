import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile } from '../engine.ts'

/**
 * The path of a copy in UTF-8, or of the file itself where it is that already. By a byte order mark, else as
 * Windows writes western languages: text that is not UTF-8 says no more of itself.
 */
export async function utf8Copy(input: InputFile, workDir: string): Promise<string> {
  const bytes = await readFile(input.path)
  const text = decoded(bytes)
  if (text === undefined) return input.path
  const path = join(workDir, `utf8.${input.format}`)
  await writeFile(path, text)
  return path
}

function decoded(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return undefined
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
