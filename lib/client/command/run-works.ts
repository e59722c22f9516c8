import { relative } from 'node:path'
import { isFailure } from '../failure.ts'
import { picture, told, type Watched, watched } from './bars.ts'
import { codeOf, type ExitCode, exit, sentenceOf } from './exit.ts'
import type { Records } from './records.ts'
import type { Session } from './session.ts'
import { bytesText } from './terminal.ts'
import { type Done, perform, type Work } from './work.ts'

export interface Running {
  readonly force: boolean
  /** Works at a time. */
  readonly atOnce: number
  /** Told of each that was not done for a reason that may pass. */
  readonly onUndone?: (work: Work) => void
}

const redrawMs = 100

/** Does all of it, tells how far it is, and says by its exit code what became of it. */
export async function runWorks(
  works: readonly Work[],
  session: Session,
  records: Records,
  { force, atOnce, onUndone }: Running,
): Promise<ExitCode> {
  const { terminal, signal } = session
  const active = new Set<Watched>()
  const waiting = [...works]
  const failures: unknown[] = []
  let done = 0
  const draw = () =>
    terminal.draw(
      signal.aborted
        ? []
        : picture(active, { over: done + failures.length, all: works.length, now: Date.now() }),
    )
  let isTold = false
  const onWait = (pid: number) => {
    if (!isTold) terminal.note(`Another command (process ${pid}) is at work here: waiting for it.`)
    isTold = true
  }
  const redraw = terminal.isWatched ? setInterval(draw, redrawMs) : undefined
  const worker = async () => {
    for (let work = waiting.shift(); work && !signal.aborted; work = waiting.shift()) {
      const one = watched(work.shown, Date.now())
      active.add(one)
      const telling = { progress: (stage: string, share: number) => told(one, stage, share) }
      try {
        const made = await perform(work, session, records, { force, telling, onWait })
        done += 1
        tellDone(made, session)
      } catch (thrown) {
        if (signal.aborted) return
        failures.push(thrown)
        tellFailure(work, thrown, session)
        // The others would fail as well, each after as long a wait.
        if (isFailure(thrown, 'UNREACHABLE', 'INVALID_API_KEY', 'AUTHENTICATION_REQUIRED'))
          for (const undone of [work, ...waiting.splice(0)]) onUndone?.(undone)
      } finally {
        active.delete(one)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, works.length) }, worker))
  clearInterval(redraw)
  terminal.draw([])
  if (signal.aborted) {
    terminal.note(`Interrupted: ${done} of ${works.length} are done. The same command goes on from here.`)
    return exit.interrupted
  }
  if (works.length > 1 && failures.length > 0) terminal.note(`${done} of ${works.length} are done.`)
  return verdict(done, failures)
}

function verdict(done: number, failures: readonly unknown[]): ExitCode {
  if (failures.length === 0) return exit.done
  if (done > 0) return exit.partly
  const codes = new Set(failures.map(codeOf))
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : exit.failed
}

const near = (path: string) => {
  const way = relative(process.cwd(), path)
  return way.startsWith('..') ? path : way
}

function tellDone({ work, outputs, bytes, isOld, warnings }: Done, { terminal }: Session): void {
  if (terminal.isJson) {
    const status = isOld ? 'unchanged' : 'completed'
    terminal.result(JSON.stringify({ source: work.shown, status, outputs, bytes, warnings }))
    return
  }
  const to = outputs.map(near).join(', ')
  terminal.note(isOld ? `= ${to}  is up to date` : `✓ ${work.shown} → ${to}  ${bytesText(bytes)}`)
  for (const warning of warnings) terminal.note(`  ${warning}`)
}

function tellFailure(work: Work, thrown: unknown, { terminal }: Session): void {
  const code = isFailure(thrown) ? thrown.code : 'FAILED'
  if (terminal.isJson) {
    const error = { code, message: sentenceOf(thrown) }
    terminal.result(JSON.stringify({ source: work.shown, status: 'failed', error }))
    return
  }
  terminal.note(`✗ ${work.shown}: ${sentenceOf(thrown)} (${code})`)
}
