import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { inShares } from '../in-shares.ts'
import { overhead, tellModel } from '../parts-model.ts'
import type { Section } from '../section.ts'

/** Many, so that the film is cut as it would be where each part has a function of its own. */
const crew = { workers: 300, secondsEach: 840 }

/** What cutting, encoding in pieces and joining take of a film, and what follows for workers that there are not here. */
export const parts: Section = {
  name: 'parts',
  about: 'a film in one run and in parts: what the parts cost, and how long many workers would take',
  async run({ report, fixtures }) {
    report.title('A minute of 720p → MP4, encoded')
    const { path } = await fixtures.get('minute.mkv')
    const film = { engine: ffmpeg, path, to: 'mp4', options: { mode: 'encode' }, crew } as const
    const measured = await inShares(film, await fixtures.folder('parts'))
    tellModel('film', measured, report)
    const { bytes } = measured
    const remark = `${bytes.parts} bytes, in one run ${bytes.whole}`
    report.figure({ what: 'processor time, more', value: overhead(measured), unit: '%', aim: { most: 10 } })
    const larger = 100 * (bytes.parts / bytes.whole - 1)
    report.figure({ what: 'size, more', value: larger, unit: '%', aim: { most: 3 }, remark })
  },
}
