import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getLayers, lambdaLayerIds } from '../../lib/deployment/lambda-layers.ts'
import { getPackageBudget, layerBudgetsKb, maxZipKb } from '../../lib/deployment/package-budgets.ts'
import { zipFunctionNames } from '../../lib/deployment/zip-functions.ts'
import { functions } from '../../lib/resources/functions.ts'
import { findReferencedId } from '../support/deployment.ts'
import {
  lambda,
  listResourcesOfType,
  onPackage,
  properties,
  readLayerBytes,
  readZipBytes,
} from '../support/packaged-deployment.ts'

for (const name of zipFunctionNames) {
  test(`the package of ${name} can be loaded on its own`, async () => {
    const [file, exported] = functions[name].handler.split('.')
    const code = `console.log(typeof (await import('./${file}.mjs')).${exported})`
    assert.equal(await onPackage(name, code), 'function\n')
  })
}

test('Lambda layers and the packages api, conversion, transfer and account contain no native binaries', async () => {
  const code = `
    import { openSync, readdirSync, readSync, statSync } from 'node:fs'
    const roots = ['.', '../../opt'].filter((path) => statSync(path, { throwIfNoEntry: false }))
    for (const root of roots)
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
        const path = entry.parentPath + '/' + entry.name
        const start = Buffer.alloc(4)
        readSync(openSync(path), start)
        if (path.endsWith('.node') || start.toString('latin1') === '\\x7fELF') console.log(path)
      }
    console.log('all read')`
  // Together, these functions have all layers and most modules.
  for (const name of ['api', 'conversion', 'transfer', 'account'] as const)
    assert.equal(await onPackage(name, code), 'all read\n', name)
})

test('the transfer package contains the code for external stores, and the conversion, drives, automation and sockets packages do not', async () => {
  const code = `
    import { readdirSync } from 'node:fs'
    for (const file of readdirSync(new URL('functions/', import.meta.url)))
      if (/^(blobstore|drive-store|gcs|sftp)-/.test(file)) console.log(Object.keys(await import('./functions/' + file)).join())
    process.exit()`
  assert.equal(
    await onPackage('transfer', code),
    'findInBlobstore,openBlobstore\nopenDriveStore\nfindInGcs,openGcs\nfindInSftp,openSftp\n',
  )
  for (const name of ['conversion', 'drives', 'automation', 'sockets'] as const)
    assert.equal(await onPackage(name, code), '', name)
})

test('the package of the api function contains the pages and documents that the function serves', async () => {
  const paths = ['/', '/docs', '/web/icon.svg', '/v1/openapi.json']
  const code = `
    const { handler } = await import('./functions/core-api.mjs')
    for (const path of ${JSON.stringify(paths)}) {
      const http = { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' }
      const requestContext = { http, requestId: 'r', domainName: 'localhost', stage: '$default', timeEpoch: 0 }
      const event = { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '', headers: { host: 'localhost' }, requestContext, isBase64Encoded: false }
      const { statusCode, body } = await handler(event, { getRemainingTimeInMillis: () => 1000 })
      console.log(statusCode, path, body.length > 100)
    }`
  assert.equal(await onPackage('api', code), paths.map((path) => `200 ${path} true\n`).join(''))
})

test('the dispatch function without AWS credentials fails at its first call and names the missing variables', async () => {
  const event = {
    event: 'job.completed',
    timestamp: '2026-01-01T00:00:00.000Z',
    id: 'event_1',
    sequence: 1,
    owner: 'user_1',
    stream: 'stream_1',
    listeners: ['webhooks'],
  }
  const output = await onPackage(
    'dispatch',
    `process.env.AWS_EC2_METADATA_DISABLED = 'true'
    const { handler } = await import('./functions/dispatch.mjs')
    await handler({ detail: ${JSON.stringify(event)} }).catch(({ message }) => process.stdout.write(message))
    process.exit()`,
  )
  assert.match(output, /without credentials: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY was not set/)
})

/** The heap after an import varies by at most a tenth, however busy the machine is. */
const createHeapMeasuringScript = (handler: string) => `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const heapUsed = () => (collect(), process.memoryUsage().heapUsed)
  const before = heapUsed()
  await import('./${handler.replace(/\.\w+$/, '.mjs')}')
  process.stdout.write(String(heapUsed() - before))
  process.exit()`

test('Lambda packages and layers stay within their size budgets, and packages also within their heap budgets', async () => {
  const exceededLimits: string[] = []
  const check = (label: string, kb: number, maxKb: number) => {
    if (!(kb > 0 && kb <= maxKb)) exceededLimits.push(`${label} has ${kb} kB, of ${maxKb}`)
  }
  for (const name of zipFunctionNames) {
    const { heapKb, zipKb } = getPackageBudget(name, functions[name])
    const heapBytes = Number(await onPackage(name, createHeapMeasuringScript(functions[name].handler)))
    check(`the heap of ${name}`, Math.round(heapBytes / 1000), heapKb)
    check(`the package of ${name}`, Math.round(readZipBytes(name) / 1000), Math.min(zipKb, maxZipKb))
  }
  for (const id of lambdaLayerIds)
    check(`the layer ${id}`, Math.round(readLayerBytes(id) / 1000), layerBudgetsKb[id])
  assert.deepEqual(exceededLimits, [])
})

test('modules that a function loads from outside its package are in its layers', async () => {
  for (const [name, modules] of [
    ['conversion', ['lib/decoders/program-file.mjs']],
    ['api', ['lib/page/build.mjs', 'lib/page/build-drawing.mjs']],
  ] as const) {
    const code = `
      import { readdirSync, readFileSync } from 'node:fs'
      const codes = readdirSync('functions').filter((file) => file.endsWith('.mjs')).map((file) => readFileSync('functions/' + file, 'utf8'))
      const named = new Set(codes.flatMap((code) => code.match(/(?<=import\\(["'])\\.\\.\\/\\.\\.\\/\\.\\.\\/opt[^"']+/g) ?? []))
      for (const path of ${JSON.stringify(modules)}) {
        await import(process.cwd() + '/../../opt/' + path)
        console.log(named.has('../../../opt/' + path))
      }`
    assert.equal(await onPackage(name, code), modules.map(() => 'true\n').join(''), name)
  }
})

test('the decoder program runs from the layer of the function that starts it', async () => {
  for (const [filename, text, format] of [
    ['a.csv', 'a,b', 'csv'],
    // Files for libmagic.
    ['a.txt', 'a\\x1b[1mb', 'txt'],
  ] as const) {
    const code = `
      import { spawn } from 'node:child_process'
      const { findProgram } = await import(process.cwd() + '/../../opt/lib/decoders/program-file.mjs')
      const { file } = await findProgram()
      const child = spawn(process.execPath, [file], { stdio: ['pipe', 'inherit', 'inherit', 'pipe'], env: {} })
      const bytes = Buffer.from('${text}')
      const call = JSON.stringify({ type: 'call', method: 'detectFormat', params: { hint: {} },
        filename: '${filename}', size: bytes.length, headBytes: bytes.length })
      const header = Buffer.alloc(8)
      header.writeUInt32LE(call.length, 0)
      header.writeUInt32LE(bytes.length, 4)
      child.stdin.end(Buffer.concat([header, Buffer.from(call), bytes]))
      for await (const chunk of child.stdio[3]) process.stdout.write(chunk)`
    assert.match(await onPackage('conversion', code), new RegExp(`"format":"${format}"`))
  }
})

test('functions are deployed with the layers that they read, for the Lambda runtime and both architectures', () => {
  const layers = listResourcesOfType('AWS::Lambda::LayerVersion').map(
    ([id, { Properties }]) => [id, Properties] as const,
  )
  assert.deepEqual(
    layers.map(([, { LayerName }]) => LayerName).sort(),
    lambdaLayerIds.map((id) => `mutabor-dev-${id}`).sort(),
  )
  for (const [, givenLayer] of layers)
    assert.partialDeepStrictEqual(givenLayer, {
      CompatibleRuntimes: ['nodejs24.x'],
      CompatibleArchitectures: ['x86_64', 'arm64'],
    })
  const getLayerName = (value: unknown) => properties(findReferencedId(value) ?? '')['LayerName']
  for (const name of zipFunctionNames) {
    const { Layers = [] } = lambda(name).properties
    assert.deepEqual(
      (Layers as unknown[]).map(getLayerName),
      getLayers(name).map((id) => `mutabor-dev-${id}`),
      name,
    )
  }
})
