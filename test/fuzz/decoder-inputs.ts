// Inputs for the parsers of clients' files: sample files that were changed, each determined by its seed and number.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import { mutations } from '../sweep/mutations.ts'
import { createSeededRandom } from '../sweep/seeded-random.ts'

const folders = ['../fixtures', '../../../shared/samples'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)
/** Larger samples would only slow the parsers down. */
const maxSampleBytes = 200_000

export interface Sample {
  readonly name: string
  readonly bytes: Buffer
}

/** Loads the test fixtures, and the samples next to the checkout if there are any. */
export function loadSamples(): readonly Sample[] {
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => !/\.(?:ts|py|md)$/.test(path) && statSync(path).isFile())
    .filter((path) => statSync(path).size <= maxSampleBytes)
    .sort()
    .map((path) => ({ name: basename(path), bytes: readFileSync(path) }))
}

type Random = () => number
type Change = (bytes: Buffer, random: Random) => Buffer

const randomBelow = (limit: number, random: Random) => Math.floor(random() * limit)
const pick = <T>(all: readonly T[], random: Random): T => all[randomBelow(all.length, random)] as T // never empty

/** Values at which lengths, counts and offsets go wrong. */
const extremeNumbers = [
  0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
]

const setNumber: Change = (bytes, random) => {
  const byteCount = pick([1, 2, 4], random)
  if (bytes.length < byteCount) return bytes
  const changedBytes = Buffer.from(bytes)
  // Headers are at the start and the end of files.
  const reach = random() < 0.6 ? Math.min(bytes.length, 512) : bytes.length
  const at = randomBelow(reach - byteCount + 1, random)
  const value = pick(extremeNumbers, random) % 256 ** byteCount
  if (random() < 0.5) changedBytes.writeUIntLE(value, at, byteCount)
  else changedBytes.writeUIntBE(value, random() < 0.2 ? bytes.length - byteCount : at, byteCount)
  return changedBytes
}

/** Repeats a piece many times, because repetition can make parsers slow. */
const repeatPiece: Change = (bytes, random) => {
  const start = randomBelow(bytes.length, random)
  const piece = bytes.subarray(start, start + 1 + randomBelow(40, random))
  const copies = Array.from({ length: 1 + randomBelow(3000, random) }, () => piece)
  return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(start)])
}

const changes: readonly Change[] = [...Object.values(mutations), setNumber, setNumber, setNumber, repeatPiece]

function changeBytes(bytes: Buffer, random: Random): Buffer {
  let changedBytes = bytes
  for (
    let changesLeft = 1 + randomBelow(3, random);
    changesLeft > 0 && changedBytes.length > 0;
    changesLeft--
  )
    changedBytes = pick(changes, random)(changedBytes, random)
  return changedBytes
}

/** Joins the start of one file and the end of another. */
function splice(bytes: Buffer, otherBytes: Buffer, random: Random): Buffer {
  return Buffer.concat([
    bytes.subarray(0, randomBelow(bytes.length + 1, random)),
    otherBytes.subarray(randomBelow(otherBytes.length + 1, random)),
  ])
}

const unpackedMembers = new WeakMap<Buffer, Promise<readonly Sample[]>>()
const maxMembers = 40

async function unpack(bytes: Buffer): Promise<readonly Sample[]> {
  const zip = new ZipReader(new Uint8ArrayReader(bytes))
  const members: Sample[] = []
  for (const entry of (await zip.getEntries()).slice(0, maxMembers))
    if (!entry.directory)
      members.push({
        name: entry.filename,
        bytes: Buffer.from(await entry.getData(new Uint8ArrayWriter())),
      })
  return members
}

/** Changes a member of a ZIP, so that the change reaches the parsers of the member, not only those of the ZIP. */
async function changeMember(bytes: Buffer, random: Random): Promise<Buffer> {
  const membersPromise = unpackedMembers.get(bytes) ?? unpack(bytes).catch(() => [])
  unpackedMembers.set(bytes, membersPromise)
  const members = await membersPromise
  if (members.length === 0) return changeBytes(bytes, random)
  const chosenIndex = randomBelow(members.length, random)
  const zip = new ZipWriter(new Uint8ArrayWriter(), { level: 0, useWebWorkers: false })
  for (const [at, { name, bytes: member }] of members.entries())
    await zip.add(name, new Uint8ArrayReader(at === chosenIndex ? changeBytes(member, random) : member))
  return Buffer.from(await zip.close())
}

const isZip = (bytes: Buffer) => bytes.toString('latin1', 0, 2) === 'PK'

/** Creates the input with this number, by changing one of the samples. */
export async function createInput(samples: readonly Sample[], seed: string, number: number): Promise<Sample> {
  const random = createSeededRandom(`${seed} ${number}`)
  const { name, bytes } = pick(samples, random)
  if (isZip(bytes) && random() < 0.5) return { name, bytes: await changeMember(bytes, random) }
  if (random() < 0.05) return { name, bytes: splice(bytes, pick(samples, random).bytes, random) }
  // Some inputs get the extension of another file.
  const otherExtension = random() < 0.1 ? extname(pick(samples, random).name) : extname(name)
  return { name: `${basename(name, extname(name))}${otherExtension}`, bytes: changeBytes(bytes, random) }
}
