import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../engine.ts'

/**
 * Runs exiftool and gives what it prints. The arguments go by a file, a line for each: none of the user's text can be
 * taken for another one, and what follows the first `=` of a line is the value, whatever it begins with.
 * @throws ProcessFailure.
 */
export async function exiftool(args: readonly string[], tools: Tools): Promise<string> {
  const list = join(tools.workDir, 'exiftool.args')
  const always = ['-charset', 'utf8', '-api', 'LargeFileSupport=1', '-m']
  await writeFile(list, `${[...always, ...args].join('\n')}\n`)
  // Its settings are a program in Perl, looked for in the folder where it starts.
  const { stdout } = await tools.exec('exiftool', ['-config', '', '-@', list])
  return stdout
}

/** `2026-01-31T12:00:00Z` as exiftool takes it for every tag; midnight where no time is given. */
export const exifDate = (text: string) => {
  if (text === '') return ''
  const [date = '', time = '00:00:00'] = text.split('T')
  return `${date.replaceAll('-', ':')} ${time}`
}
