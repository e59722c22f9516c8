import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { magickSources } from '../../../lib/engines/imagemagick/sources.ts'
import { type FormatId, formatById } from '../../../lib/formats/index.ts'
import { fixture } from './run-engine.ts'

/** Returns the path of the fixture with four colored corners in this format. */
export const cornersFixture = (format: FormatId) => fixture(`corners.${formatById(format).extensions[0]}`)

const sourceIds = Object.keys(magickSources) as (keyof typeof magickSources)[] // Object.keys widens the keys to string.
/** Formats that have this fixture; the rarest are tested by the sweep over all pairs. */
export const formatsWithCorners = sourceIds.filter((id) => id !== 'gif' && existsSync(cornersFixture(id)))

const run = promisify(execFile)

/** Returns the colors at the centers of the quarters, read by FFmpeg. */
export async function readQuarterColors(path: string, ...inputArgs: string[]): Promise<string> {
  const args = [
    '-v',
    'error',
    ...inputArgs,
    '-i',
    path,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer' })
  const { width, height } = { width: 40, height: stdout.length / 120 }
  const readColorAt = (x: number, y: number) => [
    ...stdout.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
  ]
  const top = height === 40 ? 5 : 0
  return [
    readColorAt(5, top + 5),
    readColorAt(35, top + 5),
    readColorAt(5, top + 25),
    readColorAt(35, top + 25),
  ]
    .map(nameColor)
    .join('')
}

function nameColor([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 180 && green < 80 && blue < 80) return 'R'
  if (green > 180 && red < 80 && blue < 80) return 'G'
  if (blue > 180 && red < 80 && green < 80) return 'B'
  return Math.max(...[red, green, blue].map((value) => Math.abs(value - 136))) < 6
    ? 'x'
    : `(${red} ${green} ${blue})`
}
