/** Time between two checks. */
const checkEveryMs = 15_000
/** Maximum CPU time between two checks for the process to count as idle; an idle service takes a fifth of it. */
const maxIdleCpuMs = 300
/** CPU time after which a collection is worthwhile; an idle service uses that much in some minutes. */
const minWorkedCpuMs = 1000

/**
 * Collects garbage once the process is idle. V8 collects only while a program allocates, so an idle one keeps 30 to
 * 80 MiB of garbage after its start and after work.
 */
export class IdleCollector {
  readonly #collect: () => void
  #workedMs = 0

  constructor(collect: () => void) {
    this.#collect = collect
  }

  /** @param workedMs CPU time since the last check, at the first check since the start */
  check(workedMs: number): void {
    this.#workedMs += workedMs
    if (workedMs > maxIdleCpuMs || this.#workedMs < minWorkedCpuMs) return
    this.#collect()
    this.#workedMs = 0
  }
}

/** Does nothing when Node runs without `--expose-gc`. */
export function collectGarbageWhenIdle(): void {
  const { gc } = globalThis
  if (!gc) return
  // Other types of garbage collection keep the freed pages.
  const collector = new IdleCollector(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
  // Measures CPU time: on a busy machine wall-clock time passes without the process doing anything.
  let cpuBefore: NodeJS.CpuUsage | undefined
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpuBefore)
    cpuBefore = process.cpuUsage()
    collector.check((user + system) / 1000)
  }, checkEveryMs).unref()
}
