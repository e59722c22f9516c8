import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { runSteps } from '../../lib/jobs/run/run-steps.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { combineFidelities, combineSequential, createRetention } from '../../lib/model/fidelity.ts'
import { createRun, createText, folder } from './support/conversions.ts'

test('fidelity is multiplied over consecutive steps and summed over parallel files', () => {
  const createWords = (source: number, result: number) => ({
    words: createRetention(source, result),
    dropped: [],
  })
  assert.deepEqual(combineSequential(createWords(100, 80), createWords(80, 40)), createWords(100, 40))
  assert.deepEqual(
    combineSequential(createWords(100, 80), { pages: createRetention(3, 3), dropped: ['comments'] }),
    {
      words: createRetention(100, 80),
      pages: createRetention(3, 3),
      dropped: ['comments'],
    },
  )
  assert.deepEqual(
    combineFidelities([createWords(100, 80), undefined, createWords(300, 300)]),
    createWords(400, 380),
  )
  assert.equal(combineFidelities([undefined]), undefined)
})

test('a feature of the source that the last result lacks is reported, even if an intermediate format cannot show it', async () => {
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  const docx = fileURLToPath(new URL('../fixtures/office/formula.docx', import.meta.url))
  const [page, list] = [join(folder, 'formula.html'), join(folder, 'formula.csv')]
  await Promise.all([writeFile(page, '<p>数学</p>'), writeFile(list, '数学')])
  detector.start([{ path: docx, format: 'docx' }])
  await detector.checkStep(
    { operation: 'convert', from: 'docx', to: 'html', options: {} },
    { files: [{ path: page }] },
    [],
  )
  assert.deepEqual(detector.fidelity?.dropped, [])
  await detector.checkStep(
    { operation: 'convert', from: 'html', to: 'csv', options: {} },
    { files: [{ path: list }] },
    [],
  )
  assert.deepEqual(detector.fidelity?.dropped, ['equations'])
})

test('the result of an encrypted document is compared with the decrypted document', async () => {
  const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  const [locked, openedPdf, result] = await Promise.all(
    Object.entries({ locked: createText(90), open: createText(30), result: createText(30) }).map(
      async ([name, content]) => {
        const path = join(folder, name)
        await writeFile(path, content)
        return path
      },
    ),
  )
  detector.start([{ path: locked ?? '', format: 'txt' }])
  const step = { from: 'txt', to: 'txt', options: {} }
  await detector.checkStep({ ...step, operation: 'unlock' }, { files: [{ path: openedPdf ?? '' }] }, [])
  await detector.checkStep({ ...step, operation: 'convert' }, { files: [{ path: result ?? '' }] }, [])
  assert.deepEqual(detector.fidelity?.words, createRetention(30, 30))
})

test('the loss detector does not read the source immediately, and not at all if it is disposed first', async () => {
  const errors: string[] = []
  const log = { error: (_: unknown, message: string) => void errors.push(message) } as Log
  const path = join(folder, 'late.txt')
  {
    using detector = new LossDetector(log)
    detector.start([{ path, format: 'txt' }])
    writeFileSync(path, createText(30))
    await detector.checkStep(
      { operation: 'convert', from: 'txt', to: 'txt', options: {} },
      { files: [{ path }] },
      [],
    )
    assert.deepEqual(detector.fidelity?.words, createRetention(30, 30))
  }
  const startAndDispose = () => {
    using detector = new LossDetector(log)
    detector.start([{ path: join(folder, 'gone.txt'), format: 'txt' }])
  }
  startAndDispose()
  await sleep(100)
  assert.deepEqual(errors, [])
})

test('a result is counted while it is being stored, even if storing fails', async () => {
  const run = await createRun({ sources: [createText(100)], output: createText(100), steps: [{}] })
  const outputPaths: string[] = []
  const unfinishedResult = await runSteps({
    ...run,
    onOutput: async ({ result }) => {
      const [{ path }] = result.files
      outputPaths.push(path)
      // The result has not been counted yet.
      writeFileSync(path, createText(99))
      await new Promise(() => {})
    },
  })
  assert.deepEqual(unfinishedResult.fidelity?.words, createRetention(100, 99))
  assert.deepEqual(outputPaths, [unfinishedResult.result.files[0].path])
  const secondRun = await createRun({ sources: [createText(100)], output: createText(100), steps: [{}] })
  const failedResult = await runSteps({
    ...secondRun,
    onOutput: () => Promise.reject(new Error('no bucket')),
  })
  assert.deepEqual(failedResult.fidelity?.words, createRetention(100, 100))
})

test('the stored content summary of a source contains counts and features, but no words', async () => {
  const path = join(folder, 'remark.fodt')
  await writeFile(
    path,
    '<office:document>seen<office:annotation>a remark</office:annotation></office:document>',
  )
  using detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
  detector.start([{ path, format: 'fodt' }])
  assert.deepEqual(await detector.getStoredSummary(), {
    counts: { images: 0, imageArea: 0, links: 0, tables: 0, fields: 0, checkedFields: 0 },
    features: ['comments', 'selectableText'],
  })
})
