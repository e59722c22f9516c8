import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'

/**
 * Runs exiftool and returns its output. Arguments are passed in a file, one per line, so that user text cannot be
 * parsed as another argument: everything after the first `=` of a line is the value.
 * @throws ProcessFailure.
 */
export async function runExiftool(args: readonly string[], tools: Tools): Promise<string> {
  const argsPath = join(tools.workDir, 'exiftool.args')
  const commonArgs = ['-charset', 'utf8', '-api', 'LargeFileSupport=1', '-m']
  await writeFile(argsPath, `${[...commonArgs, ...args].join('\n')}\n`)
  // Disables the config file, a Perl program that would be loaded from the working folder.
  const { stdout } = await tools.exec('exiftool', ['-config', '', '-@', argsPath])
  return stdout
}

let version: string | undefined

/** Reads the version only once: starting exiftool takes as long as writing the metadata. */
export async function readExiftoolVersion(tools: Tools): Promise<string> {
  version ??= (await tools.exec('exiftool', ['-config', '', '-ver'])).stdout.trim()
  return version
}

/** Formats a date such as `2026-01-31T12:00:00Z` for exiftool; midnight if there is no time. */
export const toExifDate = (text: string) => {
  if (text === '') return ''
  const [date = '', time = '00:00:00'] = text.split('T')
  return `${date.replaceAll('-', ':')} ${time}`
}
