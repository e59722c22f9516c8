import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/**
 * The files and folders of `lib`, from the lowest layer up: each imports only those before it. Type imports
 * count as well. `functions` contains the entry points, which import everything up to `http`.
 */
const layers = [
  // The lowest layer, and general modules that know nothing of the service.
  ...['error-catalog', 'errors', 'ids', 'plans', 'time-zones', 'component-ids', 'validation', 'async'],
  ...['names', 'crypto', 'binary', 'config', 'trace', 'otlp-span', 'log', 'io', 'net', 'mail'],
  // Formats, the shared types, and what AWS or its embedded counterpart provides.
  ...['formats', 'model', 'embedded-aws', 'resources', 'aws', 'accounts', 'links'],
  // Converting and transferring files.
  ...['engines', 'fidelity', 'decoders', 'plan', 'uploads', 'transfer', 'capture', 'tasks', 'jobs'],
  // Features around a job.
  ...['webhooks', 'usage', 'conversion', 'workflows', 'access', 'live', 'services', 'http'],
  // Layers that build and run the whole service.
  ...['page', 'deployment', 'local', 'client'],
]

/** Imports that go against the order, by importing and imported layer. */
const exceptions = [
  {
    from: '*',
    file: 'lib/services/services.ts',
    typesOnly: true,
    reason: 'A handler names the services it uses; they are created above it.',
  },
]

/** Layers that build or start the entry points, and may import them. */
const layersImportingFunctions = ['page', 'deployment', 'local', 'client']

/** The only layers that `lib/embedded-aws` may import, as it knows nothing of the service. */
const embeddedAllowedImports = ['async', 'io', 'crypto', 'time-zones', 'log', 'ids']

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

const root = fileURLToPath(new URL('..', import.meta.url))
const getLayer = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '') ?? ''

function listImports(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8')
  const statements = source.matchAll(
    /^(?:import|export)( type)?\b[^'";]*? from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
  )
  return [...statements].map(([, type, from, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), from ?? dynamic ?? '')),
    isType: type !== undefined,
  }))
}

const files = globSync('lib/**/*.{ts,tsx}', { cwd: root })
const imports = files.flatMap(listImports).filter(({ to }) => to.endsWith('.ts') || to.endsWith('.tsx'))
const importsBetweenLayers = imports.filter(
  ({ from, to }) => to.startsWith('lib/') && getLayer(from) !== getLayer(to),
)
const show = ({ from, to }: Import) => `${from} imports ${to}`

const findException = ({ from, to, isType }: Import) =>
  exceptions.find(
    (exception) =>
      (exception.from === '*' || exception.from === getLayer(from)) &&
      exception.file === to &&
      (isType || !exception.typesOnly),
  )

const isUpward = ({ from, to }: Import) => layers.indexOf(getLayer(from)) < layers.indexOf(getLayer(to))

test('every file and folder of lib is listed in the order of layers', () => {
  const foundLayers = new Set(files.map(getLayer))
  assert.deepEqual(
    [...foundLayers].filter((name) => !layers.includes(name)),
    [],
  )
  assert.deepEqual(
    layers.filter((name) => !foundLayers.has(name)),
    [],
  )
})

test('a layer of lib imports only layers below it', () => {
  assert.ok(importsBetweenLayers.length > 1000, `${importsBetweenLayers.length} imports were found`)
  const upwardImports = importsBetweenLayers.filter(
    (layerImport) => isUpward(layerImport) && !findException(layerImport),
  )
  assert.deepEqual(upwardImports.map(show), [])
})

test('each exception to the order of layers is still needed', () => {
  const neededExceptions = new Set(importsBetweenLayers.filter(isUpward).map(findException))
  assert.deepEqual(
    exceptions.filter((exception) => !neededExceptions.has(exception)),
    [],
  )
  assert.ok(exceptions.length <= 3)
})

test('only code that builds or starts the entry points imports them', () => {
  const wrongImports = imports.filter(
    ({ from, to }) => to.startsWith('functions/') && !layersImportingFunctions.includes(getLayer(from)),
  )
  assert.deepEqual(wrongImports.map(show), [])
})

test('the embedded AWS servers import nothing from the service', () => {
  const wrongImports = importsBetweenLayers.filter(
    ({ from, to }) => getLayer(from) === 'embedded-aws' && !embeddedAllowedImports.includes(getLayer(to)),
  )
  assert.deepEqual(wrongImports.map(show), [])
})
