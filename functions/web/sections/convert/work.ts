import { batch, computed, effect, signal } from '@preact/signals'
import {
  cancelJob,
  checkWish,
  createJob,
  deleteJob,
  type Format,
  type Job,
  Problem,
  partsThere,
  problemOf,
  targetsOfTool,
} from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { workPercent } from '../../shell/title.ts'
import { holdsAlpha, isOpaque } from './alpha.ts'
import { type Catalogue, commonTargets, likelyTargets } from './catalogue.ts'
import { type Progress, watchJob } from './conversion.ts'
import { type Draft, dropDrafts, keepDraft, mostKeptBytes } from './drafts.ts'
import { Item, type Origin } from './item.ts'
import { preferredTarget, rememberTarget } from './remembered.ts'
import { forget, send } from './send.ts'
import { Slots } from './slots.ts'
import { faultsIn, fieldOf, loadOptions, wishOf } from './wish.ts'
import words from './words/en.ts'
import { sizeWords } from './words.ts'

/** All files of the page, and what is done with them. It outlives the section: who looks elsewhere loses nothing. */

export const items = signal<readonly Item[]>([])
export const catalogue = signal<Catalogue | undefined>(undefined)
/** From here on a table instead of cards. */
export const mostCards = 5

export const counts = computed(() => {
  const all = items.value
  const count = (is: (item: Item) => boolean) => all.filter(is).length
  return {
    total: all.length,
    ready: count((item) => item.canStart.value && !item.hasFailed.value),
    active: count((item) => item.isActive.value),
    done: count((item) => item.phase.value === 'done'),
    failed: count((item) => item.hasFailed.value),
  }
})

/** Those that were started since nothing was under way: what percent and the last word are about. */
const round = signal<readonly Item[]>([])

export function keepTitleOfWork(): void {
  effect(() => {
    const active = round.value.some((item) => item.isActive.value)
    if (!active) {
      workPercent.value = undefined
      return
    }
    const sum = round.value.reduce((all, item) => all + (item.isActive.value ? item.percent.value : 100), 0)
    workPercent.value = Math.floor(sum / round.value.length)
  })
}

/** What the next files are to become, as a link has it. */
export const linked = signal<
  { readonly to: string; readonly values: Readonly<Record<string, string>> } | undefined
>(undefined)

export function add(origins: readonly Origin[], known: Catalogue): readonly Item[] {
  const added = origins.map((origin) => new Item(origin, known))
  for (const item of added) chooseDefault(item, known)
  batch(() => {
    if (added.length > 1) agree(added)
    items.value = [...added, ...items.value]
  })
  void settleIn(added)
  return added
}

function chooseDefault(item: Item, known: Catalogue): void {
  const wished = linked.value
  if (wished) item.values.value = { ...wished.values, ...item.values.value }
  if (item.target.value || !item.source) return
  const named = wished && known.byId(wished.to)
  const preferred = preferredTarget(item.source.id)
  const first = item.targets.find(({ id }) => id === preferred) ?? likelyTargets(item.source, item.targets)[0]
  item.target.value = named && item.targets.includes(named) ? named : first
}

/** Of a kind all get one target, which none of them is already: in a mix the formats would only swap. */
function agree(added: readonly Item[]): void {
  for (const same of Map.groupBy(added, ({ source }) => source?.category).values()) {
    const sources = new Set(same.map(({ source }) => source?.id))
    const first = same[0]
    if (sources.size < 2 || !first?.source) continue
    const common = commonTargets(same.map(({ targets }) => targets)).filter(({ id }) => !sources.has(id))
    const target = likelyTargets(first.source, common)[0]
    if (target) for (const item of same) item.target.value = target
  }
}

/** A few at a time, so that five hundred files do not keep the page from answering. */
const lookSlots = new Slots(4)

async function settleIn(added: readonly Item[]): Promise<void> {
  const never = new AbortController().signal
  await Promise.all(
    added.map(async (item) => {
      const file = item.file.value
      if (item.source?.category !== 'image' || !file) return keep(item)
      const release = await lookSlots.take(never)
      item.holdsAlpha.value = await holdsAlpha(item.source.id, file, added.length <= mostCards).catch(
        () => false,
      )
      release()
      if (item.holdsAlpha.value) keepTransparency(item)
      return keep(item)
    }),
  )
}

/** What is chosen without being asked for never fills what is transparent. */
function keepTransparency(item: Item): void {
  const target = item.target.value
  if (!target || !isOpaque(target.id) || linked.value?.to === target.id) return
  const kind = `${item.source?.id} with transparency`
  const preferred = preferredTarget(kind)
  const clear = likelyTargets(
    item.source,
    item.targets.filter(({ id }) => !isOpaque(id) && id !== 'pdf'),
  )
  const better =
    item.targets.find(({ id }) => id === preferred) ?? clear.find(({ id }) => id === 'webp') ?? clear[0]
  if (better) item.target.value = better
}

const isDraft = (item: Item) =>
  item.sourceJob === undefined && item.job.value === undefined && item.url === undefined

export async function keep(item: Item): Promise<void> {
  const file = item.file.value
  if (!isDraft(item) || (!file && !item.draft)) return
  // Five hundred small pictures are as much as one film.
  const isSmall = file !== undefined && file.size <= mostKeptBytes && items.value.length <= 100
  if (!isSmall && !item.begun) return
  const known: Pick<Draft, 'name' | 'size' | 'lastModified' | 'type'> = file ?? item.draft ?? nothing
  const { name, size, lastModified, type } = known
  await keepDraft({
    ...{ key: item.key, name, size, lastModified, type },
    file: isSmall ? file : undefined,
    target: item.target.value?.id,
    tool: item.tool.value,
    values: withoutSecrets(item),
    begun: item.begun,
  })
}

const nothing = { name: '', size: 0, lastModified: 0, type: '' }

/** Passwords stay in the page. */
function withoutSecrets(item: Item) {
  const secret = new Set(
    item.options.value?.filter(({ widget }) => widget === 'password').map(({ name }) => name),
  )
  return Object.fromEntries(Object.entries(item.values.value).filter(([name]) => !secret.has(name)))
}

export function setTarget(item: Item, target: Format, { isChosen = true } = {}): void {
  batch(() => {
    item.target.value = target
    item.tool.value = undefined
    item.wrong.value = {}
    item.notice.value = undefined
  })
  if (isChosen) {
    const source = item.source?.id
    rememberTarget(item.holdsAlpha.value ? `${source} with transparency` : source, target.id)
  }
  void keep(item)
}

/** A tool makes what it can: the same format where it does, as a PDF of a PDF. */
export async function setTool(item: Item, tool: string): Promise<void> {
  const from = item.source?.id
  if (!from) return
  try {
    const targets = await targetsOfTool(from, tool)
    const to = targets.includes(from) ? from : targets[0]
    const target = to && catalogue.value?.byId(to)
    if (!target) return
    batch(() => {
      item.target.value = target
      item.tool.value = tool
      item.wrong.value = {}
      item.notice.value = undefined
    })
    void keep(item)
  } catch (error) {
    item.notice.value = problemOf(error)
  }
}

/** The file of a draft, brought by its owner. */
export function bringBack(item: Item, file: File): void {
  const { name, size } = item
  if (file.name === name && file.size === size) {
    item.notice.value = undefined
    item.file.value = file
    // What was on its way goes on by itself.
    if (item.begun) void start(item)
  } else item.notice.value = new Problem('OTHER_FILE', words.otherFile)
}

/** How much of it is there already. */
export async function lookAtBegun(item: Item): Promise<void> {
  if (!item.begun) return
  try {
    const { parts } = await partsThere(item.begun.uploadId, item.gone.signal)
    item.arrivedBytes.value = parts.reduce((sum, { Size }) => sum + Size, 0)
  } catch {
    // Gone: it begins anew.
    item.begun = undefined
  }
}

/** Options of what is chosen; undefined where the kind of the file is not known. */
export async function loadOptionsOf(item: Item): Promise<void> {
  const from = item.source?.id
  const to = item.target.value?.id
  if (!from || !to) {
    item.options.value = []
    return
  }
  const options = await loadOptions(from, to, item.tool.value)
  // The user may have gone on to another target meanwhile.
  if (item.target.value?.id === to) item.options.value = options
}

const checked = new Map<string, Promise<void>>()

/** Asks whether it would work before a byte is sent; what is alike is asked once. */
async function check(item: Item): Promise<void> {
  if (!item.source) return
  const { size } = item
  const wish = { from: item.source.id, ...wishOf(item) }
  const key = JSON.stringify(wish)
  const asked =
    checked.get(key) ??
    checkWish({ ...wish, ...(items.value.length <= mostCards && size !== undefined && { size }) })
  checked.set(key, asked)
  asked.catch(() => checked.delete(key))
  await asked
}

/** @returns whether it is on its way; what is wrong is shown at its field. */
async function isFine(item: Item): Promise<boolean> {
  try {
    await loadOptionsOf(item)
    const wrong = faultsIn(item.options.value ?? [], item.values.value)
    item.wrong.value = wrong
    if (Object.keys(wrong).length > 0) return false
    await check(item)
    return true
  } catch (error) {
    const problem = problemOf(error)
    // Whether it works is told by the conversion itself, then.
    if (['UNREACHABLE', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'].includes(problem.code))
      return true
    const field = fieldOf(problem, item.options.value ?? [])
    if (field) item.wrong.value = { [field]: problem.message }
    else item.notice.value = problem
    return false
  }
}

export async function start(item: Item): Promise<void> {
  if (item.phase.value !== 'ready') return
  if (!item.hasBytes.value) return
  item.notice.value = undefined
  if (!item.target.value && !item.tool.value) {
    item.notice.value = new Problem('NO_TARGET', words.chooseFirst)
    return
  }
  const work = new AbortController()
  item.work = work
  if (!(await isFine(item))) return
  const wish = wishOf(item)
  batch(() => {
    round.value = round.value.some((other) => other.isActive.value) ? [...round.value, item] : [item]
    item.progress.value = { stage: 'waiting' }
    item.phase.value = 'sending'
  })
  try {
    const job = await made(item, wish, work.signal)
    forgetFailed(item)
    item.job.value = job
    void dropDrafts([item.key])
    if (work.signal.aborted) await cancelJob(job.jobId).catch(() => {})
    tellOthers()
    await follow(item, job)
  } catch (error) {
    stop(item, work.signal.aborted ? words.cancelled : problemOf(error))
  }
}

async function made(item: Item, wish: ReturnType<typeof wishOf>, signal: AbortSignal): Promise<Job> {
  const tell = (progress: Progress) => {
    item.progress.value = progress
  }
  if (item.url !== undefined) return starting(item, () => createJob({ fileUrl: item.url ?? '', ...wish }))
  const { sourceJob } = item
  if (sourceJob) return starting(item, () => createJob({ sourceJobId: sourceJob.jobId, ...wish }))
  const file = item.file.value
  if (!file) throw new Problem('NO_FILES', words.chooseAgain)
  const kept = item.unusedUpload
  item.unusedUpload = undefined
  const uploadId =
    kept ??
    (await send({
      file,
      begun: item.begun,
      onBegun: (begun) => {
        item.begun = begun
        void keep(item)
      },
      onProgress: tell,
      signal,
    }))
  item.begun = undefined
  try {
    // Not given up when the user cancels: the answer names the job that then has to be cancelled.
    return await starting(item, () => createJob({ uploadId, ...wish }))
  } catch (error) {
    const isSpent =
      error instanceof Problem && ['CONFLICT', 'UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE'].includes(error.code)
    if (!isSpent) item.unusedUpload = uploadId
    else if (kept) return made(item, wish, signal)
    throw error
  }
}

function starting(item: Item, create: () => Promise<Job>): Promise<Job> {
  item.progress.value = { stage: 'starting' }
  return create()
}

export async function follow(item: Item, job: Job): Promise<void> {
  item.phase.value = 'running'
  const isNews = item.file.value !== undefined || item.url !== undefined || item.sourceJob !== undefined
  try {
    const tell = (progress: Progress) => {
      item.progress.value = progress
    }
    const ended = await watchJob(job, tell, item.gone.signal)
    item.job.value = ended
    if (ended.status === 'completed' && ended.result) {
      const { filename, size } = ended.result
      item.phase.value = 'done'
      if (isNews) tellEnd(item, words.converted(item.name, filename, sizeWords(size)))
    } else stop(item, ended.status === 'cancelled' ? words.cancelled : problemIn(ended))
  } catch (error) {
    if (!item.gone.signal.aborted) stop(item, problemOf(error))
  }
}

/** One is told of by name, of many how many: names of five hundred would never end. */
function tellEnd(_item: Item, sentence: string): void {
  if (round.value.length <= 1) announce(sentence)
  else announce(words.summary(counts.value), 'summary')
  if (round.value.length > 0 && !round.value.some((other) => other.isActive.value)) tellAllDone()
}

/** Whether the visitor wants to be told by the system. */
export const wantsNotice = signal(false)

function tellAllDone(): void {
  const done = round.value.filter(({ phase }) => phase.value === 'done').length
  const sentence = words.allDone(done, round.value.length - done)
  if (round.value.length > 1) announce(sentence, 'summary')
  if (wantsNotice.value && document.hidden) new Notification('Mutabor', { body: sentence })
}

/** Ends without a result: back to the form where the bytes are at hand, else with a way to bring them again. */
function stop(item: Item, notice: Problem | string): void {
  batch(() => {
    item.notice.value = notice
    item.phase.value = item.hasBytes.value || item.draft ? 'ready' : 'stranded'
  })
  const sentence = typeof notice === 'string' ? notice : notice.message
  tellEnd(item, words.failed(item.name, sentence))
}

function problemIn({ error, jobId }: Job): Problem {
  if (error) return new Problem(error.code, error.message)
  return new Problem('FILE_GONE', words.overWithout(jobId))
}

/** A job that failed has given way to the next one of this file; it would only come back at the next visit. */
function forgetFailed(item: Item): void {
  const old = item.job.value
  if (old) void deleteJob(old.jobId).catch(() => {})
}

export async function cancel(item: Item): Promise<void> {
  item.work?.abort()
  if (item.begun && item.phase.value === 'sending') {
    forget(item.begun.uploadId)
    item.begun = undefined
  }
  // While it is sent there is no job yet, or only the one that failed before.
  const job = item.job.value
  if (item.phase.value !== 'running' || !job) return
  await cancelJob(job.jobId).catch((error: unknown) => {
    const problem = problemOf(error)
    // A conflict means that it is over already, which the next status shows.
    if (problem.code !== 'CONFLICT') announce(problem.message)
  })
}

/** What was removed, until it cannot be had back. */
export const removed = signal<
  { readonly items: readonly Item[]; readonly before: readonly Item[] } | undefined
>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
const undoMs = 8000

/** From the page at once, from the service when nobody wants it back. */
export function remove(gone: readonly Item[]): void {
  if (gone.length === 0) return
  void finishRemoval()
  const set = new Set(gone)
  removed.value = { items: gone, before: items.value }
  items.value = items.value.filter((item) => !set.has(item))
  timer = setTimeout(() => void finishRemoval(), undoMs)
  announce(gone.length === 1 ? words.removed(gone[0]?.name ?? '') : words.removedMany(gone.length))
}

export function undo(): void {
  const what = removed.value
  if (!what) return
  clearTimeout(timer)
  removed.value = undefined
  const since = items.value.filter((item) => !what.before.includes(item))
  items.value = [...since, ...what.before]
}

export async function finishRemoval(): Promise<void> {
  const what = removed.value
  if (!what) return
  clearTimeout(timer)
  removed.value = undefined
  void dropDrafts(what.items.map(({ key }) => key))
  const slots = new Slots(4)
  const never = new AbortController().signal
  await Promise.all(
    what.items.map(async (item) => {
      item.work?.abort()
      item.gone.abort()
      if (item.begun) forget(item.begun.uploadId)
      const job = item.job.value
      if (!job) return
      const release = await slots.take(never)
      // What cannot be deleted now goes with its time.
      await deleteJob(job.jobId).catch(() => {})
      release()
    }),
  )
  tellOthers()
}

/** Other tabs of this browser show the same files. */
const tabs = new BroadcastChannel('mutabor jobs')
const tellOthers = () => tabs.postMessage('changed')
export const onOtherTab = (act: () => void) => tabs.addEventListener('message', act)

/** Of several: what they share is written to all of them. */
export function setAll(group: readonly Item[], target: Format): void {
  batch(() => {
    for (const item of group) if (item.targets.includes(target)) setTarget(item, target)
  })
}

/** Options that every one of them got, by name. */
export function setValues(group: readonly Item[], values: Item['values']['value']): void {
  batch(() => {
    for (const item of group) item.values.value = { ...item.values.value, ...values }
  })
}

/** At once, as the button says; what the service refuses stays and tells why. */
export async function deleteNow(item: Item): Promise<void> {
  const job = item.job.value
  try {
    if (job) await deleteJob(job.jobId)
  } catch (error) {
    item.notice.value = problemOf(error)
    return
  }
  item.gone.abort()
  void dropDrafts([item.key])
  items.value = items.value.filter((other) => other !== item)
  announce(words.removed(item.name))
  tellOthers()
}

/** The first of those that were just added: it takes the focus when it is there. */
export const newest: { current: Item | undefined } = { current: undefined }

/** What is looked at in the drawer. */
export const opened = signal<Item | undefined>(undefined)

/** A second one beside the first, so that the result of the first stays: from the file, else from the stored source. */
export function again(item: Item, file: File | undefined = item.file.value): Item | undefined {
  const known = catalogue.value
  const job = item.job.value
  if (!known) return undefined
  const origin: Origin | undefined = file
    ? { kind: 'file', file }
    : item.url !== undefined
      ? { kind: 'url', url: item.url, name: item.name }
      : job && { kind: 'again', job }
  if (!origin) return undefined
  const added = new Item(origin, known)
  chooseDefault(added, known)
  const target = known.byId(job?.target?.format ?? '')
  if (target && added.targets.includes(target)) added.target.value = target
  added.values.value = item.values.value
  added.holdsAlpha.value = item.holdsAlpha.value
  newest.current = added
  items.value = items.value.flatMap((other) => (other === item ? [added, other] : [other]))
  void keep(added)
  return added
}
