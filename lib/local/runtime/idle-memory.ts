/** Time between two checks. */
const checkEveryMs = 15_000
/** Maximum CPU time between two checks of an idle process; an idle service takes a fifth of it. */
const maxIdleCpuMs = 300
/** CPU time after which a collection is worthwhile; an idle service uses this much in a few minutes. */
const minWorkedCpuMs = 1000

/**
 * Collects garbage once the process is idle. V8 only collects while a program allocates, so an idle process keeps 30 to
 * 80 MiB of garbage from its start and its work.
 */
export class IdleCollector {
  readonly #collect: () => void
  #workedMs = 0

  constructor(collect: () => void) {
    this.#collect = collect
  }

  /** Checks whether to collect. @param workedMs CPU time since the last check; at the first check, since the start */
  check(workedMs: number): void {
    this.#workedMs += workedMs
    if (workedMs > maxIdleCpuMs || this.#workedMs < minWorkedCpuMs) return
    this.#collect()
    this.#workedMs = 0
  }
}

/** Starts the checks; does nothing if Node runs without `--expose-gc`. */
export function collectGarbageWhenIdle(): void {
  const { gc } = globalThis
  if (!gc) return
  // Other types of garbage collection do not return freed pages to the system.
  const collector = new IdleCollector(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
  // CPU time is measured, because on a busy machine wall-clock time passes without the process doing anything.
  let cpuBefore: NodeJS.CpuUsage | undefined
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpuBefore)
    cpuBefore = process.cpuUsage()
    collector.check((user + system) / 1000)
  }, checkEveryMs).unref()
}
