import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EngineComparison, measureOneClient, withComparedServices } from '../compare-with-engine.ts'
import type { Section } from '../section.ts'

const run = promisify(execFile)

/** Compares one client of the service with the program of the engine, started as in a shell. */
interface Case extends EngineComparison {
  readonly name: string
  readonly title: string
  /** Runs the program, which writes its result into the folder. */
  readonly bare: (source: string, folder: string) => Promise<unknown>
}

const copy = (source: string, folder: string) =>
  run('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-y', '-i', source, '-c', 'copy', '-movflags', '+faststart'],
    join(folder, 'video.mp4'),
  ])

const draw = (source: string, folder: string, firstPage: number, lastPage: number) =>
  run('pdftoppm', [
    ...['-q', '-jpeg', '-jpegopt', 'quality=85', '-r', '150', '-f', `${firstPage}`, '-l', `${lastPage}`],
    ...[source, join(folder, 'page')],
  ])

const cases: readonly Case[] = [
  {
    name: 'pdf',
    title: 'PDF of 50 pages → ZIP of JPG, 150 dpi',
    fixture: 'fifty-pages.pdf',
    fields: { targetFormat: 'jpg', dpi: '150' },
    rounds: 10,
    runsPerRound: 2,
    most: 1.3,
    engine: 'pdftoppm in two ranges',
    bare: (source, folder) => Promise.all([draw(source, folder, 1, 25), draw(source, folder, 26, 50)]),
  },
  {
    name: 'mkv',
    title: 'MKV of a minute → MP4, copied',
    fixture: 'minute.mkv',
    fields: { targetFormat: 'mp4' },
    rounds: 10,
    runsPerRound: 3,
    most: 1.3,
    engine: 'ffmpeg -c copy',
    bare: copy,
  },
  {
    name: 'webm',
    title: 'WebM of a minute (VP9, Opus) → MP4, copied',
    fixture: 'minute.webm',
    fields: { targetFormat: 'mp4' },
    rounds: 10,
    runsPerRound: 3,
    most: 1.3,
    engine: 'ffmpeg -c copy',
    bare: copy,
  },
  {
    name: 'epub',
    title: 'EPUB of 5 MB → MOBI',
    fixture: 'book.epub',
    fields: { targetFormat: 'mobi' },
    rounds: 4,
    runsPerRound: 1,
    most: 1.05,
    engine: 'ebook-convert',
    bare: (source, folder) => run('ebook-convert', [source, join(folder, 'book.mobi')]),
  },
]

const createSection = (programCase: Case): Section => ({
  name: programCase.name,
  about: `${programCase.title}: one client`,
  async run(bench) {
    const folder = await bench.fixtures.folder(`bare-${programCase.name}`)
    const bare = (source: string) => programCase.bare(source, folder)
    bench.report.title(programCase.title)
    await withComparedServices(programCase, bench, bare, (rivals) =>
      measureOneClient(programCase, rivals, bench),
    )
  },
})

export const programs: readonly Section[] = cases.map(createSection)
