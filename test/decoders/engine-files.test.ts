import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { lchown } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CalledProcess } from '../../lib/decoders/decoder-process.ts'
import { placeInputs } from '../../lib/decoders/engine-files.ts'
import type { EngineRequest } from '../../lib/decoders/engine-messages.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('an engine step that joins chunks receives its existing files, even if an input that it does not need is missing', async () => {
  const [task, folder] = [scratchFolder('task'), scratchFolder('process')]
  writeFileSync(join(task, 'part.mkv'), 'part')
  const calledProcess = {
    folder,
    grant: (path: string) => lchown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0),
  } as unknown as CalledProcess // only these fields are used
  const request = {
    method: 'join',
    work: { inputs: [{ path: join(task, 'source-1.mp4') }] },
    results: [{ files: [{ path: join(task, 'part.mkv') }] }],
  } as unknown as EngineRequest
  const { paths } = await placeInputs(request, calledProcess)
  assert.deepEqual([...paths.values()], [join(task, 'source-1.mp4'), join(task, 'part.mkv')])
  assert.deepEqual(
    [existsSync(join(folder, 'source-1.mp4')), existsSync(join(folder, 'part.mkv'))],
    [false, true],
  )
})
